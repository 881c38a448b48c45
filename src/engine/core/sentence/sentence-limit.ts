import { TagstreamError } from '../errors.js';

/**
 * Default maximum number of tokens per sentence: inference over them takes up to a few hundred
 * megabytes.
 */
export const defaultMaxTokens = 100_000;

/** Maximum number of tokens per record, as a multiple of the maximum number per sentence. */
export const recordTokens = 16;

/**
 * Maximum number of sentences per record, as a multiple of the maximum number of tokens per
 * sentence.
 */
export const recordSentences = 2;

/**
 * Returns the error for a record that would take too much memory.
 *
 * @example
 * tooLarge('a sentence of 12 tokens', '10').message
 * // => 'a sentence of 12 tokens (the limit is 10; split it, or raise maxTokens)'
 */
export function tooLarge(problem: string, most: string): TagstreamError {
  return new TagstreamError('too-large', problem, {
    fix: `the limit is ${most}; split it, or raise maxTokens`,
  });
}

/**
 * Limits the number of tokens or sentences of a record.
 *
 * @throws TagstreamError `too-large`
 */
export function requireAtMost(
  most: number,
  items: { readonly length: number },
  what: 'tokens' | 'sentences',
): void {
  if (items.length > most) throw tooLarge(`more than ${most} ${what} in one record`, String(most));
}

/**
 * Limits the length of each sentence.
 *
 * @param ranges token range `[start, end)` of each sentence
 * @throws TagstreamError `too-large`
 */
export function requireShort(
  ranges: readonly (readonly [number, number])[],
  maxTokens: number,
): void {
  for (const [start, end] of ranges) {
    if (end - start <= maxTokens) continue;
    throw tooLarge(`a sentence of ${end - start} tokens`, String(maxTokens));
  }
}
