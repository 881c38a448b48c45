import { map, type OperatorFunction, pipe, takeWhile } from 'rxjs';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { Contribution } from '../core/training/contribution.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { Learner } from '../models/learning/learner.js';

/**
 * Turns contributions into training steps: each updates the weights before the next contribution is computed.
 * The stream ends after the step that leaves nothing to learn, where the optimizer looks for that.
 */
export function optimize(learner: Learner): OperatorFunction<Contribution, TrainingStep> {
  requireArgument('optimize: the learner', learner, kinds.learner);
  return pipe(
    map((contribution: Contribution) => {
      requireItem('optimize', contribution, kinds.contribution);
      return learner.apply(contribution);
    }),
    takeWhile(({ ending }) => ending === undefined, true),
  );
}
