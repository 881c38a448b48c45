import type { Lattice } from '../lattice.js';

/**
 * Finds the best label sequence of one sentence; see `Kernel.viterbi`. Ties go to the lower label,
 * at the last token first. Cost O(T L^2); delta_t is stored in alpha_t.
 *
 * No backpointers are kept: the backward pass searches again for the best previous label, for one
 * label per token instead of all.
 */
export function viterbi(lattice: Lattice, s: number, best: Int32Array): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { labels, width, matrixSize } = lattice;
  const scores = lattice.emissionScores.view;
  const transitions = lattice.transitionScores.view;
  const edgeScores = lattice.edgeScores.view;
  const delta = lattice.alpha.view;
  for (let y = 0; y < labels; y += 1) delta[first * width + y] = scores[first * width + y]!;
  for (let t = first + 1; t < end; t += 1) {
    const row = t * width;
    const before = row - width;
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? transitions : edgeScores;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let y = 0; y < labels; y += 1) delta[row + y] = delta[before]! + matrix[base + y]!;
    for (let from = 1; from < labels; from += 1) {
      const score = delta[before + from]!;
      const outgoing = base + from * width;
      for (let y = 0; y < labels; y += 1) {
        const candidate = score + matrix[outgoing + y]!;
        if (candidate > delta[row + y]!) delta[row + y] = candidate;
      }
    }
    for (let y = 0; y < labels; y += 1) delta[row + y]! += scores[row + y]!;
  }
  const last = (end - 1) * width;
  let label = 0;
  for (let y = 1; y < labels; y += 1) if (delta[last + y]! > delta[last + label]!) label = y;
  const bestScore = delta[last + label]!;
  best[end - 1] = label;
  for (let t = end - 1; t > first; t -= 1) {
    const before = (t - 1) * width;
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? transitions : edgeScores;
    const base = (slot < 0 ? 0 : slot * matrixSize) + label;
    const scoreFrom = (from: number) => delta[before + from]! + matrix[base + from * width]!;
    label = 0;
    for (let from = 1; from < labels; from += 1) {
      if (scoreFrom(from) > scoreFrom(label)) label = from;
    }
    best[t - 1] = label;
  }
  return bestScore;
}
