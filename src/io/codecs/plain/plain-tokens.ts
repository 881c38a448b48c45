import { defaultMaxTokens, recordTokens } from '../../../core/sentence/sentence-limit.js';

/** Tokens of a record that is plain: decoding takes memory for all of them at once. */
const mostTokens = 262_144;

/** The same where sentences are decoded piece by piece: some 200 bytes a token are left. */
const mostInPieces = 12_000_000;

/** Tokens that a plain record may have where others may have `maxTokens`. */
export function plainTokens(maxTokens: number): number {
  return Math.min(mostTokens, maxTokens);
}

/**
 * Tokens that the text of a plain record may have. Where sentences are decoded piece by piece, that is more than other
 * texts may have, unless `maxTokens` is below its default.
 */
export function plainTextTokens(maxTokens: number, inPieces: boolean): number {
  if (inPieces && maxTokens >= defaultMaxTokens) return mostInPieces;
  return plainTokens(recordTokens * maxTokens);
}
