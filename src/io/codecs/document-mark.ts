/** What lines begin with where a document begins, in files of the CoNLL shared tasks; they are comments otherwise. */
export const documentMark = '-DOCSTART-';

const markBytes = new TextEncoder().encode(documentMark);

/**
 * Whether a line that begins at `at` says that a document begins.
 *
 * @example
 * isDocumentMark(Buffer.from('a O\n-DOCSTART- O\n'), 4) // => true
 */
export function isDocumentMark(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < markBytes.length; i += 1) if (bytes[at + i] !== markBytes[i]) return false;
  return true;
}
