import { typeOf } from '../../text/tags/chunk-boundaries.js';

/** Number of occurrences of each label type. */
export type TypeCounts = Map<string, number>;

/**
 * Returns the type as which a tag is counted: its span type if tags mark spans, otherwise the tag
 * itself.
 */
export function typeOfTag(tag: string, marksSpans: boolean): string {
  return marksSpans && tag !== 'O' ? typeOf(tag) : tag;
}

/** Adds one to the count of a type, or subtracts one; removes types whose count is 0. */
export function countType(
  counted: Map<string, TypeCounts>,
  key: string,
  type: string,
  by: 1 | -1 = 1,
): void {
  const counts = counted.get(key) ?? new Map<string, number>();
  const count = (counts.get(type) ?? 0) + by;
  if (count > 0) counts.set(type, count);
  else counts.delete(type);
  if (counts.size > 0) counted.set(key, counts);
  else counted.delete(key);
}

/**
 * Returns the most frequent type, its frequency (`!` always, `>` in 70 % of all cases or more, `~`
 * less), and the total count (1, 2 for 2 to 3, 4 for 4 to 9, 9 for more); ties go to the first
 * name. Undefined if there is no type.
 *
 * @example
 * classOfTypes(new Map([['PER', 4], ['O', 1]])) // => 'PER>4'
 */
export function classOfTypes(counts: ReadonlyMap<string, number>): string | undefined {
  let best = '';
  let most = 0;
  let total = 0;
  for (const [type, n] of counts) {
    total += n;
    if (n > most || (n === most && type < best)) {
      best = type;
      most = n;
    }
  }
  if (total === 0) return undefined;
  const certainty = most === total ? '!' : most >= 0.7 * total ? '>' : '~';
  const size = total === 1 ? 1 : total < 4 ? 2 : total < 10 ? 4 : 9;
  return `${best}${certainty}${size}`;
}
