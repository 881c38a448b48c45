import type { AddChain } from '../pairs/pair-lists.js';
import type { ParameterStore } from '../store/parameter-store.js';

/** Lists the pairs of a feature's chain; see `AddChain`. Cost O(pairs). */
export function listChain({ pairs: chains, weights, width }: ParameterStore): AddChain {
  const { heads, from, to, next } = chains;
  const table = weights.pairs.view;
  return (lists, feature, value, n, start) => {
    const scores = lists.scores.view;
    const { pairs, marks, epoch } = lists;
    let count = n;
    for (let slot = heads[feature]!; slot >= 0; slot = next[slot]!) {
      const score = value * table[slot]!;
      if (start >= 0) {
        const cell = from[slot]! * width + to[slot]!;
        const found = marks[cell]! - epoch;
        if (found >= start) {
          scores[found]! += score;
          continue;
        }
        marks[cell] = epoch + count;
      }
      pairs[count] = from[slot]! + 65536 * to[slot]!;
      scores[count] = score;
      count += 1;
    }
    return count;
  };
}
