import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Lattice } from '../lattice.js';
import type { CompressedRows } from '../store/compressed-rows.js';

/** Emission scores from compressed rows: e_t(y) = scale * sum of value * weight of the pairs of y. */
export function scoreCompressed(
  compressed: CompressedRows,
  lattice: Lattice,
  { tokens, stateStarts, stateRows, stateValues }: Minibatch,
  scale: number,
): void {
  const { numbers, starts, labels, denseRows } = compressed;
  const { width } = lattice;
  const weights = compressed.weights.view;
  const dense = compressed.dense.view;
  const scores = lattice.emissionScores.view;
  for (let t = 0; t < tokens; t += 1) {
    const row = t * width;
    scores.fill(0, row, row + width);
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = scale * (stateValues === undefined ? 1 : stateValues[k]!);
      const number = numbers[stateRows[k]!]!;
      const from = denseRows[number]! * width;
      if (from >= 0) {
        for (let y = 0; y < width; y += 1) scores[row + y]! += value * dense[from + y]!;
      }
      for (let pair = starts[number]!; pair < starts[number + 1]!; pair += 1) {
        scores[row + labels[pair]!]! += value * weights[pair]!;
      }
    }
  }
}
