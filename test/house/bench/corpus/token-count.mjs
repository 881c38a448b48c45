/**
 * Number of tokens in sentences.
 *
 * @param {readonly { tokens: readonly string[] }[]} sentences
 */
export function tokenCount(sentences) {
  return sentences.reduce((sum, { tokens }) => sum + tokens.length, 0);
}
