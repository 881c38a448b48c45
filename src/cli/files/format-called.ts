/** Names of programs whose data has columns, the label last. */
const inColumns = /^(?:wapiti|crfpp|crf\+\+)$/i;

/**
 * Returns the format that the command line names: by its own name, or by that of a program that
 * uses it.
 *
 * @example
 * formatCalled('wapiti') // => 'conll'
 * formatCalled('crfsuite') // => 'crfsuite'
 */
export function formatCalled(name: string): string {
  return inColumns.test(name) ? 'conll' : name;
}
