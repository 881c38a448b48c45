import { TagstreamError } from '../../../engine/core/errors.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { Loss } from '../../../engine/losses/loss.js';
import type { BatchLearner } from '../../../engine/models/learning/batch-learner.js';
import { createOnlineLearner, type Learner } from '../../../engine/models/learning/learner.js';
import type { Model } from '../../../engine/models/model.js';
import type { OnlineOptimizer } from '../../../engine/optimizers/optimizer.js';
import type { BatchOptimizer } from '../../../engine/trainers/trainer-component.js';
import { type BatchParts, batchLearnerOf } from '../trainers/batch-learner-of.js';

/** The options of a learner with an online optimizer. */
export interface LearnerOptions<Options> {
  /** A loss from `logLoss()` or another factory, or a custom one. */
  readonly loss: Loss;
  /** An optimizer, such as `sgd({ eta0: 0.1 })`. */
  readonly optimizer: OnlineOptimizer<Options>;
  /** N, the number of sentences in a pass. Required on an endless stream; otherwise `passes` determines it. */
  readonly corpusSize?: number;
}

/** The options of a learner with a batch optimizer. */
export interface BatchLearnerOptions<Options> extends Pick<BatchParts, 'group' | 'order'> {
  /** A smooth loss, or the one required by the optimizer. */
  readonly loss: Loss;
  /** A batch optimizer, such as `lbfgs({ l2: 0.5 })`. */
  readonly optimizer: BatchOptimizer<Options>;
}

/**
 * Returns a learner for a model: with an online optimizer for the operators `contribute` and `optimize`, with a batch
 * optimizer for `iterate`.
 *
 * Create the model for a batch optimizer with `kernels.simd64`: float32 is not precise enough for its objective.
 *
 * @param model the model to train, which the learner changes
 * @param given the loss, the optimizer and their options
 * @throws TagstreamError `config`, naming the wrong option
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]\nB' });
 * createLearner(model, { loss: logLoss(), optimizer: sgd({ eta0: 0.2 }) }).sentencesSeen // => 0
 * const exact = createModel({ templates: 'U00:%x[0,0]' }, undefined, kernels.simd64);
 * const learner = createLearner(exact, { loss: logLoss(), optimizer: owlQn({ l1: 0.01 }) });
 * const last = await lastValueFrom(
 *   of({ tokens: ['a', 'b'], tags: ['X', 'Y'] }).pipe(
 *     tokenize(), featurize(exact), iterate(learner, { iterations: 50 }),
 *   ),
 * );
 * [last.iteration.ending !== undefined, Tagger.fromBytes(writeModel(learner)).tag(['b'])] // => [true, ['Y']]
 */
export function createLearner<Options>(model: Model, given: LearnerOptions<Options>): Learner;
export function createLearner<Options>(
  model: Model,
  given: BatchLearnerOptions<Options>,
): BatchLearner;
export function createLearner<Options>(
  model: Model,
  given: LearnerOptions<Options> | BatchLearnerOptions<Options>,
): Learner {
  requireArgument('createLearner: the model', model, kinds.model);
  const known = ['loss', 'optimizer', 'corpusSize', 'group', 'order'];
  requireKnown('createLearner', given, known);
  requireArgument('createLearner.loss', given.loss, kinds.loss);
  requireArgument('createLearner.optimizer', given.optimizer, kinds.optimizer);
  const loss = given.loss.inTraining?.({ outside: () => model.labels.find('O') }) ?? given.loss;
  if (isOnline(given)) {
    refuse(given, ['group', 'order'], 'online');
    const { optimizer, corpusSize } = given;
    const { component, options } = optimizer;
    return createOnlineLearner(model, {
      ...{ loss, optimizer: component, options },
      ...(corpusSize === undefined ? {} : { corpusSize }),
    });
  }
  refuse(given, ['corpusSize'], 'batch');
  const { group, order } = given;
  const { component, options } = given.optimizer;
  const chosen = parseOptions(component.options, options, component.name);
  return batchLearnerOf(component, chosen, { model, loss, group, order });
}

function isOnline<Options>(
  given: LearnerOptions<Options> | BatchLearnerOptions<Options>,
): given is LearnerOptions<Options> {
  return given.optimizer.kind === 'online';
}

/** @throws TagstreamError `config` for an option of learners with the other kind of optimizer */
function refuse(given: object, names: readonly string[], kind: string): void {
  const found = names.find(
    name => (given as Readonly<Record<string, unknown>>)[name] !== undefined,
  );
  if (found === undefined) return;
  const problem = `createLearner.${found}: a learner with ${kind === 'online' ? 'an online' : 'a batch'} optimizer has no such option`;
  const fix =
    kind === 'online'
      ? 'leave it out; train({ group }) trains online with several threads'
      : 'leave it out: a batch optimizer sees the whole corpus';
  throw new TagstreamError('config', problem, { fix });
}
