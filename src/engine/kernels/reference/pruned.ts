import type { Lattice } from '../lattice.js';
import type { Pruning } from '../pruning/candidates.js';

/**
 * Runs forward-backward in log space over the unpruned labels of a sentence; returns log Z.
 *
 * Leaves node marginals, 0 for pruned labels, and the marginals of unpruned label pairs in `Candidates.pairs`. The formulas
 * are those of `forwardBackwardLog`, with sums over k labels. Cost O(T k^2).
 */
export function forwardBackwardPruned(lattice: Lattice, s: number): number {
  const { candidates, width, batch } = lattice;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  const pairStart = candidates.pairStarts(batch!)[s]!;
  candidates.openVectors();
  const { starts, labels, scale } = candidates;
  const scores = lattice.emissionScores.view;
  const transitions = candidates.transitions.view;
  const alpha = candidates.alpha.view;
  const beta = candidates.beta.view;
  const pairs = candidates.pairs.view;
  const nodes = lattice.nodes.view;
  const emission = (t: number, i: number) => scores[t * width + labels[i]!]!;
  const transition = (i: number, j: number) =>
    scale * transitions[labels[i]! * width + labels[j]!]!;
  for (let j = starts[first]!; j < starts[first + 1]!; j += 1) alpha[j] = emission(first, j);
  for (let t = first + 1; t < end; t += 1) {
    for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
      const into = (i: number) => alpha[i]! + transition(i, j);
      alpha[j] = emission(t, j) + logSumExp(starts[t - 1]!, starts[t]!, into);
    }
  }
  const logZ = logSumExp(starts[end - 1]!, starts[end]!, i => alpha[i]!);
  beta.fill(0, starts[end - 1]!, starts[end]!);
  let pair = pairStart;
  for (let t = end - 1; t > first; t -= 1) {
    for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
      const onward = (j: number) => transition(i, j) + emission(t, j) + beta[j]!;
      beta[i] = logSumExp(starts[t]!, starts[t + 1]!, onward);
    }
  }
  for (let t = first; t < end; t += 1) {
    nodes.fill(0, t * width, (t + 1) * width);
    for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
      nodes[t * width + labels[j]!] = Math.exp(alpha[j]! + beta[j]! - logZ);
    }
    if (t === first) continue;
    for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
      for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
        const score = alpha[i]! + transition(i, j) + emission(t, j) + beta[j]!;
        pairs[pair] = Math.exp(score - logZ);
        pair += 1;
      }
    }
  }
  return logZ;
}

function logSumExp(from: number, to: number, value: (i: number) => number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i += 1) most = Math.max(most, value(i));
  if (most === Number.NEGATIVE_INFINITY) return most;
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += Math.exp(value(i) - most);
  return most + Math.log(sum);
}

/**
 * Finds the best labels of a sentence among the unpruned ones; see `Kernel.viterbi`. The best score of a pruned label is
 * minus infinity. Cost O(T k^2).
 */
export function viterbiPruned(lattice: Lattice, s: number, best: Int32Array): number {
  const { candidates, width, batch } = lattice;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  candidates.openVectors();
  const { starts, labels, scale } = candidates;
  const scores = lattice.emissionScores.view;
  const transitions = candidates.transitions.view;
  const delta = candidates.alpha.view;
  const before = candidates.beta.view;
  const alpha = lattice.alpha.view;
  for (let t = first; t < end; t += 1) {
    alpha.fill(Number.NEGATIVE_INFINITY, t * width, t * width + lattice.labels);
    for (let j = starts[t]!; j < starts[t + 1]!; j += 1) {
      const to = labels[j]!;
      let most = t === first ? 0 : Number.NEGATIVE_INFINITY;
      for (let i = t === first ? starts[t]! : starts[t - 1]!; i < starts[t]!; i += 1) {
        const score = delta[i]! + scale * transitions[labels[i]! * width + to]!;
        if (score > most || i === starts[t - 1]) {
          most = score;
          before[j] = i;
        }
      }
      delta[j] = most + scores[t * width + to]!;
      alpha[t * width + to] = delta[j]!;
    }
  }
  let last = starts[end - 1]!;
  for (let j = last; j < starts[end]!; j += 1) if (delta[j]! > delta[last]!) last = j;
  const score = delta[last]!;
  for (let t = end - 1; t >= first; t -= 1) {
    best[t] = labels[last]!;
    last = before[last]!;
  }
  return score;
}

/**
 * Prunes the labels of each token: keeps up to `most` labels with scores of at least log(ratio) plus the best score, ties
 * to the first, and with `keepsGold` also the gold label; a token with a `fixed` label keeps only this one. The scores of
 * all other labels become minus infinity. Cost O(L) per token.
 */
export function pruneTokens(lattice: Lattice, pruning: Pruning): void {
  const { candidates, batch, labels: count, width } = lattice;
  const { sentenceStarts, gold, fixed } = batch!;
  const scores = lattice.emissionScores.view;
  const { starts, labels } = candidates;
  let n = 0;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      starts[t] = n;
      if (!candidates.isPruned(s)) continue;
      const row = scores.subarray(t * width, t * width + count);
      const own = lattice.keepsGold && fixed === undefined ? (gold[t] ?? -1) : -1;
      const only = fixed?.[t] ?? -1;
      if (only >= 0) {
        const score = row[only]!;
        row.fill(Number.NEGATIVE_INFINITY);
        row[only] = score;
        labels[n] = only;
        n += 1;
        continue;
      }
      const best = Math.max(...row);
      if (!Number.isFinite(best)) {
        // Scores that are not finite are kept, and show up in all sums.
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
