import { map, type OperatorFunction } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { Contribution } from '../core/training/contribution.js';
import { confidenceIn } from '../models/decoding/decode-options.js';
import type { Learner } from '../models/learning/learner.js';

/** The additional content of a contribution. */
export interface ContributeOptions {
  /** Whether to add the best labels under the current weights, for progressive scores and for tagging. */
  readonly predict?: boolean;
  /**
   * Whether to add the probability of each predicted label at its token; `all`: and of all other labels; `pairs`: and
   * of label pairs.
   */
  readonly marginals?: boolean | 'all' | 'pairs' | undefined;
  /** See `DecodeOptions.pairThreshold`. */
  readonly pairThreshold?: number | undefined;
  /** Whether to add the probability of each sentence's labels. */
  readonly probability?: boolean | undefined;
}

/**
 * Returns an operator that turns each minibatch into its contribution: the gradient of the losses at the current weights, in
 * residual form (expected minus observed). It changes no weight.
 *
 * The next contribution overwrites the current one: see `Contribution.detach`. Probabilities cost one forward-backward pass per
 * sentence.
 *
 * @param learner learner with the model, its weights and the loss
 * @param options predictions and probabilities to compute as well
 * @throws TagstreamError `config` for probabilities without predictions, or for probabilities from a learner with
 *   several threads
 */
export function contribute(
  learner: Learner,
  options: ContributeOptions = {},
): OperatorFunction<Minibatch, Contribution> {
  requireArgument('contribute: the learner', learner, kinds.learner);
  requireKnown('contribute', options, ['predict', 'marginals', 'pairThreshold', 'probability']);
  const { predict = false, ...results } = options;
  const { asked } = confidenceIn(results);
  if (asked !== undefined && !predict) {
    throw new TagstreamError('config', 'probabilities require predictions', {
      fix: 'call contribute with predict: true',
    });
  }
  return map(minibatch => {
    requireItem('contribute', minibatch, kinds.minibatch);
    const contribution = learner.contribute(minibatch, predict);
    if (asked === undefined || learner.model.labels.size === 0) return contribution;
    return Object.assign(contribution, { confidence: learner.confidence(minibatch, asked) });
  });
}
