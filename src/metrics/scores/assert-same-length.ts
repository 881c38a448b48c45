import { TagstreamError } from '../../core/errors.js';

/**
 * Throws unless a sentence has as many predicted tags as gold tags.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * assertSameLength(['N', 'V'], ['N', 'N']) // => undefined
 */
export function assertSameLength(gold: readonly unknown[], predicted: readonly string[]): void {
  if (gold.length === predicted.length) return;
  throw new TagstreamError(
    'length-mismatch',
    `${gold.length} gold tags but ${predicted.length} predicted tags`,
    { fix: 'score a sentence against its own tags, one of each for every token' },
  );
}
