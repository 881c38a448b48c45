import { map, type OperatorFunction } from 'rxjs';
import type { Contribution } from '../core/training/contribution.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { Learner } from '../models/learning/learner.js';

/**
 * Turns contributions into training steps: each updates the weights before the next contribution is computed.
 */
export function optimize(learner: Learner): OperatorFunction<Contribution, TrainingStep> {
  return map(contribution => learner.apply(contribution));
}
