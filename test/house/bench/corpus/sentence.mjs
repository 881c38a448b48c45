/**
 * A sentence as the library takes it.
 *
 * @param {string[]} tokens
 * @param {string[]} tags
 * @param {Record<string, string[]>} columns
 */
export function sentence(tokens, tags, columns = {}) {
  return { tokens, tags, columns, document: {}, part: { index: 0, count: 1, start: 0 } };
}
