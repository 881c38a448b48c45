import { map, type OperatorFunction } from 'rxjs';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import { requireKnown } from '../core/schema/require-known.js';
import type { Contribution } from '../core/training/contribution.js';
import type { Learner } from '../models/learning/learner.js';

/** The further content of a contribution. */
export interface ContributeOptions {
  /** Also the best labels under the present weights, for progressive scores and for tagging. */
  readonly predict?: boolean;
}

/**
 * Turns minibatches into contributions: the gradient of their losses at the current weights, in residual
 * form. Changes no weight. A contribution is overwritten by the next one: see `Contribution.detach`.
 */
export function contribute(
  learner: Learner,
  options: ContributeOptions = {},
): OperatorFunction<Minibatch, Contribution> {
  requireArgument('contribute: the learner', learner, kinds.learner);
  requireKnown('contribute', options, ['predict']);
  return map(minibatch => {
    requireItem('contribute', minibatch, kinds.minibatch);
    return learner.contribute(minibatch, options.predict ?? false);
  });
}
