import type { Lattice } from '../../lattice.js';

/**
 * Best labels of a sentence among those that pruning has left; see `Kernel.viterbi`. Pruned labels have minus infinity for
 * their best score. Cost O(T k^2).
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
