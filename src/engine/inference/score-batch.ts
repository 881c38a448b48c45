import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { structureOf } from './structures/structures.js';

/**
 * Opens the lattice for a minibatch and fills in the label and transition potentials that the
 * parameters' structure and scorer define: the starting point of all inference. The store must have
 * room for all rows of the batch. A token with a fixed label has no other possible label.
 */
export function scoreBatch(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  structureOf(store.layout).fill(kernel, store, lattice, batch);
  if (batch.fixed !== undefined) keepFixed(lattice, batch.fixed);
}

/** Forbids all labels but the fixed ones in sentences that were not pruned. */
function keepFixed(
  { batch, candidates, emissionScores, width, labels }: Lattice,
  fixed: Int32Array,
): void {
  if (candidates.isAll) return;
  const scores = emissionScores.view;
  const { sentenceStarts } = batch!;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    if (candidates.isPruned(s)) continue;
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      const only = fixed[t]!;
      if (only < 0) continue;
      const score = scores[t * width + only]!;
      scores.fill(Number.NEGATIVE_INFINITY, t * width, t * width + labels);
      scores[t * width + only] = score;
    }
  }
}
