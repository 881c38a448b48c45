import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** A scored float64 lattice, and the kernel that works on it. */
export interface WideLattice {
  readonly kernel: Kernel;
  readonly lattice: Lattice;
}

const float64 = new SimdKernel('float64');
const copies = new WeakMap<Lattice, Lattice>();

/**
 * Returns the scores of a lattice in float64, for tasks that need more than float32: differences of sums over all
 * sequences, and the order of sequences with nearly equal scores. Returns a float64 lattice unchanged, and any other
 * lattice as a copy in memory that the next call overwrites.
 *
 * Backward vectors are kept. Masks must be applied before the call. Cost O(T L), plus O(L^2) for the batch and for
 * each token with its own matrix.
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
  // Slots that a scorer gave to tokens without edge features get the same numbers.
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

/** Releases the memory of a lattice and of its copies; the next batch allocates what it needs. */
export function releaseLattice(lattice: Lattice): void {
  const { columns, positions, bits } = lattice;
  for (const each of [lattice, columns, positions, ...bits]) {
    each?.release();
    if (each !== undefined) copies.get(each)?.release();
  }
}
