import { type MonoTypeOperatorFunction, map, pipe, takeWhile } from 'rxjs';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { Evaluator, TrainingStep } from '../core/training/training-step.js';
import type { EarlyStopping } from '../models/learning/held-out-evaluator.js';

/** When held-out data is scored, and when its scores stop training. */
export interface EvaluateOptions {
  /** Number of passes between evaluations. Default 1. */
  readonly every?: number;
  /** Ends training when scores no longer rise, and keeps the best model. */
  readonly stopping?: EarlyStopping;
}

/**
 * Returns an operator that scores held-out data at the end of passes and adds the scores to the step. It never changes a weight.
 *
 * On a regularisation path, the end of each step of the path counts as the end of a pass. With early stopping, the stream completes
 * after the first step without a gain.
 *
 * @param evaluator scores the held-out data
 * @param options how often to score, and when to stop
 * @throws TagstreamError `config` for an unknown option
 */
export function evaluate(
  evaluator: Evaluator,
  options: EvaluateOptions = {},
): MonoTypeOperatorFunction<TrainingStep> {
  requireArgument('evaluate: the evaluator', evaluator, kinds.evaluator);
  requireKnown('evaluate', options, ['every', 'stopping']);
  const { every = 1, stopping } = options;
  return pipe(
    map((step: TrainingStep): TrainingStep => {
      requireItem('evaluate', step, kinds.step);
      if (!isDue(step, every)) return step;
      const scores = evaluator.evaluate();
      const stop = stopping?.consider(scores, step.passEnd!) ?? false;
      return { ...step, scores, stop };
    }),
    takeWhile(step => step.stop !== true, true),
  );
}

function isDue({ passEnd, iteration }: TrainingStep, every: number): boolean {
  const path = iteration?.path;
  if (path !== undefined) return path.ended && path.step % every === 0;
  return passEnd !== undefined && passEnd % every === 0;
}
