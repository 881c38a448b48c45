/** Programs whose data are columns, the label last. */
const inColumns = /^(?:wapiti|crfpp|crf\+\+)$/i;

/**
 * The format that a name on the command line stands for: that of a program whose data are in it, or its own.
 *
 * @example
 * formatCalled('wapiti') // => 'conll'
 * formatCalled('crfsuite') // => 'crfsuite'
 */
export function formatCalled(name: string): string {
  return inColumns.test(name) ? 'conll' : name;
}
