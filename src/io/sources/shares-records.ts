import { RecordSelector, type Selection } from './select-records.js';

/** Records looked at at most: two splits repeat after the product of their periods. */
const lookedAtMost = 1_000_000;

/**
 * Whether two parts of one file have a record in common, as far as their splits say.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const held = { split: { every: 10, take: [9] } };
 * sharesRecords(held, { split: { every: 10, except: [9] } }) // => false
 * sharesRecords(held, {}) // => true
 */
export function sharesRecords(
  one: Pick<Selection, 'split'>,
  other: Pick<Selection, 'split'>,
): boolean {
  const period = (one.split?.every ?? 1) * (other.split?.every ?? 1);
  const [first, second] = [one, other].map(({ split }) => new RecordSelector(split && { split }));
  for (let i = 0; i < Math.min(period, lookedAtMost); i += 1) {
    const [a, b] = [first!.next(), second!.next()];
    if (a && b) return true;
  }
  return false;
}
