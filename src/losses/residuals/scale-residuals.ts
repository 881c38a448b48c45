import type { Reals } from '../../core/reals.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Lattice } from '../../kernels/lattice.js';
import { scaleListed } from './scale-listed.js';
import { scalePruned } from './scale-pruned.js';

/** Multiplies the node, edge and transition tables of sentence `s`. */
export function scaleResiduals(lattice: Lattice, s: number, factor: number): void {
  requireArgument('scaleResiduals: the lattice', lattice, kinds.lattice);
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const end = batch.sentenceStarts[s + 1]!;
  const { width, matrixSize } = lattice;
  scale(lattice.nodes.view, first * width, end * width, factor);
  if (lattice.candidates.isPruned(s)) {
    scalePruned(lattice, s, factor);
    return;
  }
  scale(lattice.transitions.view, s * matrixSize, (s + 1) * matrixSize, factor);
  const further = lattice.further?.residuals(s, first, end);
  if (further !== undefined) scale(further, 0, further.length, factor);
  if (lattice.pairLists.isListed(s)) {
    scaleListed(lattice, s, factor);
    return;
  }
  for (let t = first; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot >= 0) scale(lattice.edges.view, slot * matrixSize, (slot + 1) * matrixSize, factor);
  }
}

function scale(numbers: Reals, from: number, to: number, factor: number): void {
  for (let i = from; i < to; i += 1) numbers[i]! *= factor;
}
