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
export function tooLarge(problem: string, most: string): TagstreamError {
  return new TagstreamError('too-large', problem, {
    fix: `the limit is ${most}; split it, or raise maxTokens of the source`,
  });
}
