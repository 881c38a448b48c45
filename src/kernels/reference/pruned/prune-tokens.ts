import type { Lattice } from '../../lattice.js';
import type { Pruning } from '../../pruning/candidates.js';

/**
 * Leaves each token of the pruned sentences its labels: at most `most`, whose scores are at least log(ratio) behind the best,
 * of equal ones the first; with `keepsGold` the gold label too. The scores of all others become minus infinity. Cost O(L)
 * a token.
 */
export function pruneTokens(lattice: Lattice, pruning: Pruning): void {
  const { candidates, batch, labels: count, width } = lattice;
  const { sentenceStarts, gold } = batch!;
  const scores = lattice.emissionScores.view;
  const { starts, labels } = candidates;
  let n = 0;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      starts[t] = n;
      if (!candidates.isPruned(s)) continue;
      const row = scores.subarray(t * width, t * width + count);
      const own = lattice.keepsGold ? (gold[t] ?? -1) : -1;
      const best = Math.max(...row);
      if (!Number.isFinite(best)) {
        // What is no finite number stays, and shows in all sums.
        row[0] = best;
        labels[n] = 0;
        n += 1;
        continue;
      }
      const left = candidatesOf(row, pruning);
      if (own >= 0 && !left.includes(own)) left.push(own);
      left.sort((a, b) => a - b);
      const kept = left.map(label => row[label]!);
      row.fill(Number.NEGATIVE_INFINITY);
      for (const [i, label] of left.entries()) {
        row[label] = kept[i]!;
        labels[n] = label;
        n += 1;
      }
    }
  }
  starts[batch!.tokens] = n;
}

function candidatesOf(row: ArrayLike<number>, { most, ratio }: Pruning): number[] {
  const order = Array.from(row, (_, label) => label);
  order.sort((a, b) => row[b]! - row[a]! || a - b);
  const least = row[order[0]!]! + Math.log(ratio);
  return order.slice(0, most).filter(label => row[label]! >= least);
}
