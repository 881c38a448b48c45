import type { Lattice } from '../../kernels/lattice.js';
import { scaleListed } from './scale-listed.js';
import { scalePruned } from './scale-pruned.js';

/** Sets the node, edge and transition tables of sentence `s` to zero: it then says nothing. */
export function clearResiduals(lattice: Lattice, s: number): void {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  lattice.nodes.view.fill(0, first * width, end * width);
  if (lattice.candidates.isPruned(s)) {
    scalePruned(lattice, s, 0);
    return;
  }
  lattice.transitions.view.fill(0, s * matrixSize, (s + 1) * matrixSize);
  lattice.further?.residuals(s, first, end).fill(0);
  if (lattice.pairLists.isListed(s)) {
    scaleListed(lattice, s, 0);
    return;
  }
  for (let t = first; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot >= 0) lattice.edges.view.fill(0, slot * matrixSize, (slot + 1) * matrixSize);
  }
}
