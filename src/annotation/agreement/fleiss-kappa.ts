import { aboveChance } from './above-chance.js';

/**
 * Fleiss' kappa of several people who have all given the same items a label each. Fleiss (1971).
 *
 * @param items of each item the labels that it was given, as many for each
 * @example
 * fleissKappa([['A', 'A'], ['A', 'B'], ['B', 'B'], ['B', 'B']]).toFixed(3) // => '0.467'
 */
export function fleissKappa(items: readonly (readonly string[])[]): number {
  const people = items[0]?.length ?? 0;
  const totals = new Map<string, number>();
  let same = 0;
  for (const labels of items) {
    const counts = new Map<string, number>();
    for (const label of labels) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      totals.set(label, (totals.get(label) ?? 0) + 1);
    }
    for (const count of counts.values()) same += count * (count - 1);
  }
  let chance = 0;
  for (const total of totals.values()) chance += (total / (items.length * people)) ** 2;
  return aboveChance(same / (items.length * people * (people - 1)), chance);
}
