/** Tokens of a record that is plain: decoding takes memory for all of them at once. */
const mostTokens = 262_144;

/** Tokens that a plain record may have where others may have `maxTokens`. */
export function plainTokens(maxTokens: number): number {
  return Math.min(mostTokens, maxTokens);
}
