import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { DriftMonitor } from '../models/learning/drift-monitor.js';

/**
 * Returns an operator that passes training steps on, and has a monitor check each for drift and respond before the next
 * step is made. Needs `contribute` with `predict`.
 *
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]\nB' });
 * const learner = createLearner(model, { loss: logLoss(), optimizer: sgd({ eta0: 0.02 }), corpusSize: 100 });
 * const seen = [];
 * const monitor = new DriftMonitor(learner, {
 *   ...{ detector: 'page-hinkley', answer: 'reset' },
 *   onWarning: ({ code }) => seen.push(code),
 * });
 * const records = Array.from({ length: 200 }, (_, i) => ({
 *   tokens: [i % 2 === 0 ? 'a' : 'b'],
 *   tags: [(i % 2 === 0) === i < 100 ? 'X' : 'Y'],
 * }));
 * await lastValueFrom(
 *   from(records).pipe(
 *     tokenize(), featurize(model), batch(),
 *     contribute(learner, { predict: true }), optimize(learner), detectDrift(monitor),
 *   ),
 * );
 * [seen, monitor.counts.restarts] // => [['drift'], 1]
 */
export function detectDrift(monitor: DriftMonitor): MonoTypeOperatorFunction<TrainingStep> {
  requireArgument('detectDrift: the monitor', monitor, kinds.driftMonitor);
  return map(step => {
    requireItem('detectDrift', step, kinds.step);
    monitor.see(step);
    return step;
  });
}
