import type { Lattice } from '../../kernels/lattice.js';

/** Multiplies the edge residuals of the listed pairs of sentence `s`: nobody reads the others. Cost O(listed pairs). */
export function scaleListed(lattice: Lattice, s: number, factor: number): void {
  const { width, matrixSize, edgeSlots, pairLists } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const { starts, pairs } = pairLists;
  const edges = lattice.edges.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = edgeSlots[t]!;
    if (slot < 0) continue;
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const pair = pairs[k]!;
      const at = slot * matrixSize + (pair & 65535) * width + (pair >>> 16);
      edges[at] = factor === 0 ? 0 : edges[at]! * factor;
    }
  }
}
