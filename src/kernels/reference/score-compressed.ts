import type { Minibatch } from '../../core/minibatch.js';
import type { CompressedRows } from '../compact/compressed-rows.js';
import type { Lattice } from '../lattice.js';

/** Emission scores from compressed rows: e_t(y) = scale * sum of value * weight of the pairs of y. */
export function scoreCompressed(
  compressed: CompressedRows,
  lattice: Lattice,
  { tokens, stateStarts, stateRows, stateValues }: Minibatch,
  scale: number,
): void {
  const { starts, labels } = compressed;
  const { width } = lattice;
  const weights = compressed.weights.view;
  const scores = lattice.emissionScores.view;
  for (let t = 0; t < tokens; t += 1) {
    const row = t * width;
    scores.fill(0, row, row + width);
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = scale * (stateValues === undefined ? 1 : stateValues[k]!);
      const feature = stateRows[k]!;
      for (let pair = starts[feature]!; pair < starts[feature + 1]!; pair += 1) {
        scores[row + labels[pair]!]! += value * weights[pair]!;
      }
    }
  }
}
