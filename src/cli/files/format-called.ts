/** Programs whose data are columns, the label last. */
const inColumns = /^(?:wapiti|crfpp|crf\+\+)$/i;

/**
 * Returns the format of a name on the command line: the name of the format, or of a program that
 * uses it.
 *
 * @example
 * formatCalled('wapiti') // => 'conll'
 * formatCalled('crfsuite') // => 'crfsuite'
 */
export function formatCalled(name: string): string {
  return inColumns.test(name) ? 'conll' : name;
}
