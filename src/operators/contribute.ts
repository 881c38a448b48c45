import { map, type OperatorFunction } from 'rxjs';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import type { Learner } from '../models/learning/learner.js';

/** What a contribution brings along. */
export interface ContributeOptions {
  /** Also the best labels under the present weights, for progressive scores and for tagging. */
  readonly predict?: boolean;
}

/**
 * Minibatches to contributions: the gradient of their losses, in residual form, at the present weights.
 * Changes no weight. A contribution is overwritten by the next one: see `Contribution.detach`.
 */
export function contribute(
  learner: Learner,
  options: ContributeOptions = {},
): OperatorFunction<Minibatch, Contribution> {
  return map(minibatch => learner.contribute(minibatch, options.predict ?? false));
}
