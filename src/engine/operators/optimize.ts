import { map, type OperatorFunction, pipe, takeWhile } from 'rxjs';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { Contribution } from '../core/training/contribution.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { Learner } from '../models/learning/learner.js';

/**
 * Returns an operator that turns contributions into training steps: it updates the weights before the next contribution is
 * computed. The stream completes early if the optimizer finds nothing left to learn.
 *
 * @param learner the learner passed to `contribute`
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
