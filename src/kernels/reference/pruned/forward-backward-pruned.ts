import type { Lattice } from '../../lattice.js';

/**
 * Forward-backward in log space over the labels that pruning has left to the tokens of a sentence; returns log Z.
 *
 * Leaves node marginals, 0 for pruned labels, and the marginals of pairs of labels that are left, in
 * `Candidates.pairs`. Formulas as in `forwardBackwardLog`, its sums over k labels in the place of all. Cost O(T k^2).
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
