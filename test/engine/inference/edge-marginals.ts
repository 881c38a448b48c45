import type { Lattice } from '../../../src/engine/kernels/lattice.js';

/**
 * p(y_{t-1} = y', y_t = y | x) of every transition of one sentence, `[T - 1][L][L]` (from, to).
 *
 * From the log-space vectors that `forwardBackwardLog` leaves behind, given its log Z; training needs only their sums. Cost O(T L^2), and as much memory.
 */
export function edgeMarginals(lattice: Lattice, s: number, logZ: number): number[][][] {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { labels, width, matrixSize } = lattice;
  const alpha = lattice.logAlpha.view;
  const beta = lattice.logBeta.view;
  const emissions = lattice.emissionScores.view;
  const all: number[][][] = [];
  for (let t = first + 1; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    const scores = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * matrixSize;
    const matrix: number[][] = [];
    for (let from = 0; from < labels; from += 1) {
      const row: number[] = [];
      for (let y = 0; y < labels; y += 1) {
        const before = alpha[(t - 1) * width + from]! + scores[base + from * width + y]!;
        const after = emissions[t * width + y]! + beta[t * width + y]!;
        row.push(Math.exp(before + after - logZ));
      }
      matrix.push(row);
    }
    all.push(matrix);
  }
  return all;
}
