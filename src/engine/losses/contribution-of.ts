import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { applyLoss, type Predictions } from './apply-loss.js';
import type { Loss } from './loss.js';
import { requireFitting } from './losses.js';

/**
 * Applies a loss like `applyLoss` for training, after checking that it supports the scorer.
 *
 * @throws TagstreamError as `applyLoss`; `config` if the loss does not support the scorer
 */
export function contributionOf(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  minibatch: Minibatch,
  loss: Loss,
  predict: boolean | Predictions = false,
): Contribution {
  requireFitting(loss, store.layout.scorer);
  return applyLoss(kernel, store, lattice, minibatch, loss, predict);
}
