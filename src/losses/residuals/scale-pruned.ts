import type { Lattice } from '../../kernels/lattice.js';

/** Multiplies the residuals of the pairs that pruning has left of sentence `s`. Cost O(pairs). */
export function scalePruned({ candidates, batch }: Lattice, s: number, factor: number): void {
  const starts = candidates.pairStarts(batch!);
  const pairs = candidates.pairs.view;
  for (let i = starts[s]!; i < starts[s + 1]!; i += 1) {
    pairs[i] = factor === 0 ? 0 : pairs[i]! * factor;
  }
}
