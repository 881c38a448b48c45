import { map, type OperatorFunction } from 'rxjs';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { TrainingStep } from '../core/training/training-step.js';
import { type ConfidenceOptions, confidenceIn } from '../models/decoding/decode-options.js';
import type { Contest } from '../models/learning/contest.js';

/**
 * Returns an operator that runs several learners instead of one: all learn from each minibatch, and the emitted step is
 * the champion's, with the predictions it made before learning. It replaces `contribute` with `predict: true` and
 * `optimize`. `evaluateProgressive` and `tag`, given the model of the first learner, score and write the champion's
 * predictions.
 *
 * @param options probabilities of the predicted labels, as for `contribute`
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]\nB' });
 * const learnerWith = (optimizer, own) => createLearner(own, { loss: logLoss(), optimizer, corpusSize: 100 });
 * const contest = new Contest({
 *   sgd: learnerWith(sgd(), model),
 *   adagrad: learnerWith(adagrad(), model.twin()),
 * });
 * const last = await lastValueFrom(
 *   of({ tokens: ['a'], tags: ['X'] }, { tokens: ['b'], tags: ['Y'] }).pipe(
 *     tokenize(), featurize(model), batch(), champion(contest),
 *   ),
 * );
 * [last.sentencesSeen, contest.champion] // => [2, 'sgd']
 */
export function champion(
  contest: Contest,
  options: ConfidenceOptions = {},
): OperatorFunction<Minibatch, TrainingStep> {
  requireArgument('champion: the contest', contest, kinds.contest);
  requireKnown('champion', options, ['marginals', 'pairThreshold', 'probability']);
  const { asked } = confidenceIn(options);
  return map(minibatch => {
    requireItem('champion', minibatch, kinds.minibatch);
    return contest.learn(minibatch, asked);
  });
}
