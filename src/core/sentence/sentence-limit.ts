import { TagstreamError } from '../errors.js';

/** Tokens that a sentence may have by default: inference over them takes some hundred megabytes at most. */
export const defaultMaxTokens = 100_000;

/** Tokens that a record may have in all, as a multiple of those that a sentence may have. */
export const recordTokens = 16;

/** Sentences that a record may have, as a multiple of the tokens that a sentence may have. */
export const recordSentences = 2;

/**
 * The error of a record that would take too much memory.
 *
 * @example
 * tooLarge('a sentence of 12 tokens', '10').message
 * // => 'a sentence of 12 tokens (the limit is 10; split it, or raise maxTokens of the source)'
 */
export function tooLarge(
  problem: string,
  most: string,
  limit = 'maxTokens of the source',
): TagstreamError {
  return new TagstreamError('too-large', problem, {
    fix: `the limit is ${most}; split it, or raise ${limit}`,
  });
}

/**
 * Checks the tokens or sentences of a record against what it may have of them.
 *
 * @param limit what is to be raised for more
 * @throws TagstreamError `too-large`
 */
export function requireAtMost(
  most: number,
  items: { readonly length: number },
  what: 'tokens' | 'sentences',
  limit?: string,
): void {
  if (items.length > most)
    throw tooLarge(`more than ${most} ${what} in one record`, 'so many', limit);
}

/**
 * Checks the length of each sentence.
 *
 * @param ranges tokens `[start, end)` of each
 * @throws TagstreamError `too-large`
 */
export function requireShort(
  ranges: readonly (readonly [number, number])[],
  maxTokens: number,
  limit?: string,
): void {
  for (const [start, end] of ranges) {
    if (end - start <= maxTokens) continue;
    throw tooLarge(`a sentence of ${end - start} tokens`, String(maxTokens), limit);
  }
}
