import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { structureOf } from './structures/structures.js';

/**
 * Opens the lattice for a minibatch and fills in the label and transition potentials that the
 * parameters' structure and scorer define: the starting point of all inference. The store must have
 * room for all rows of the batch.
 */
export function scoreBatch(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  structureOf(store.layout).fill(kernel, store, lattice, batch);
}
