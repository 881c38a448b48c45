import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { fillLayers } from './layers/fill-layers.js';
import { fillCodes } from './scorers/codes/fill-codes.js';
import { scorerOf } from './scorers/scorers.js';
import { scorePositions } from './segments/score-positions.js';

/**
 * Opens the lattice for a minibatch and fills in the potentials of its labels and transitions, as the scorer of the
 * parameters makes them: what every kind of inference starts from. The store must have room for all rows of the batch.
 */
export function scoreBatch(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  const { scorer, layers, codes, segments } = store.layout;
  if (segments !== undefined) {
    scorePositions(kernel, store, lattice, batch);
    return;
  }
  if (layers !== undefined) {
    fillLayers(kernel, store, lattice, batch, layers);
    return;
  }
  if (codes !== undefined) {
    fillCodes(kernel, store, lattice, batch, codes);
    return;
  }
  lattice.open(store, batch);
  kernel.score(store, lattice);
  if (scorer !== undefined) scorerOf(scorer).fill?.(lattice, store);
}
