import { aboveChance } from './above-chance.js';

/**
 * Cohen's kappa of two people who have given the same items a label each: `(p_o - p_e) / (1 - p_e)`, the share in which
 * they agree against that which chance would give to two people with their frequencies. Cohen (1960). 1 where all labels
 * are the same.
 *
 * @throws RangeError for lists of different lengths
 * @example
 * cohenKappa(['A', 'A', 'B', 'B'], ['A', 'B', 'B', 'B']) // => 0.5
 */
export function cohenKappa(first: readonly string[], second: readonly string[]): number {
  if (first.length !== second.length) throw new RangeError('two lists of the same items');
  const counts = new Map<string, [number, number]>();
  let same = 0;
  for (const [i, label] of first.entries()) {
    const other = second[i]!;
    if (label === other) same += 1;
    countOf(counts, label)[0] += 1;
    countOf(counts, other)[1] += 1;
  }
  let chance = 0;
  for (const [a, b] of counts.values()) chance += (a / first.length) * (b / first.length);
  return aboveChance(same / first.length, chance);
}

function countOf(counts: Map<string, [number, number]>, label: string): [number, number] {
  const known = counts.get(label) ?? [0, 0];
  counts.set(label, known);
  return known;
}
