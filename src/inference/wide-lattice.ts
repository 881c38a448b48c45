import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** A scored lattice in float64, and the kernel that works on it. */
export interface WideLattice {
  readonly kernel: Kernel;
  readonly lattice: Lattice;
}

const float64 = new SimdKernel('float64');
const copies = new WeakMap<Lattice, Lattice>();

/**
 * Returns the scores of a lattice in float64, for tasks that float32 is too coarse for: differences of sums over all
 * sequences, and the order of sequences with nearly equal scores. A float64 lattice is returned unchanged, another
 * one as a copy in the same memory, which the next call overwrites.
 *
 * Backward vectors are kept. Masks must be applied before. Cost O(T L) and O(L^2), for the batch and for each token
 * with a matrix of its own.
 */
export function wideLattice(kernel: Kernel, lattice: Lattice): WideLattice {
  if (kernel.precision === 'float64') {
    lattice.readsBackward = true;
    return { kernel, lattice };
  }
  let wide = copies.get(lattice);
  if (wide === undefined) {
    wide = new Lattice(lattice.memory, 'float64', false);
    wide.readsBackward = true;
    copies.set(lattice, wide);
  }
  const { batch, width, matrixSize, slots } = lattice;
  wide.open(lattice, batch!);
  // Slots that a scorer gave to tokens without edge features have the same numbers there.
  if (wide.slots < slots) wide.openSlots();
  wide.closedEnds = lattice.closedEnds;
  wide.transitionForm = lattice.transitionForm;
  if (lattice.candidates.isUsed) wide.candidates.take(lattice.candidates);
  for (const [table, numbers] of [
    ['emissionScores', batch!.tokens * width],
    ['transitionScores', matrixSize],
    ['edgeScores', slots * matrixSize],
  ] as const) {
    wide[table].view.set(lattice[table].view.subarray(0, numbers));
  }
  return { kernel: float64, lattice: wide };
}

/** Gives the memory of a lattice and of its copies back; the next batch takes what it needs. */
export function releaseLattice(lattice: Lattice): void {
  const { columns, positions, bits } = lattice;
  for (const each of [lattice, columns, positions, ...bits]) {
    each?.release();
    if (each !== undefined) copies.get(each)?.release();
  }
}
