import { parseOptions } from '../../core/schema/parse-options.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import type { Loss } from '../../losses/loss.js';
import type { BatchLearner } from '../../models/learning/batch-learner.js';
import type { Model } from '../../models/model.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { type BatchParts, batchLearnerOf } from './batch-learner-of.js';

/** Options of a learner with a batch optimizer. */
export interface BatchLearnerOptions<Options> extends Pick<BatchParts, 'group' | 'order'> {
  /** A smooth loss, or the one that the trainer is for. */
  readonly loss: Loss;
  readonly trainer: TrainerComponent<Options>;
  /** Options of the trainer; its defaults where absent. */
  readonly options?: Partial<Options>;
}

/**
 * A learner whose steps are iterations of a batch optimizer, for the operator `iterate`.
 *
 * @param model made with `kernels.simd64`: the last digits of an objective are beyond float32
 * @throws TagstreamError `config` that names the option of the trainer that is wrong
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]' }, undefined, kernels.simd64);
 * const learner = createBatchLearner(model, { loss: logLoss, trainer: owlQn, options: { l1: 0.01 } });
 * const last = await lastValueFrom(
 *   of({ tokens: ['a', 'b'], tags: ['X', 'Y'] }).pipe(
 *     tokenize(), featurize(model), iterate(learner, { iterations: 50 }),
 *   ),
 * );
 * [last.iteration.ending !== undefined, Tagger.fromBytes(writeModel(learner)).tag(['b'])] // => [true, ['Y']]
 */
export function createBatchLearner<Options>(
  model: Model,
  given: BatchLearnerOptions<Options>,
): BatchLearner {
  requireArgument('createBatchLearner: the model', model, kinds.model);
  requireKnown('createBatchLearner', given, ['loss', 'trainer', 'options', 'group', 'order']);
  const { loss, trainer, options, group, order } = given;
  requireArgument('createBatchLearner.loss', loss, kinds.loss);
  requireArgument('createBatchLearner.trainer', trainer, kinds.trainer);
  const chosen = parseOptions(trainer.options, options ?? {}, trainer.name);
  return batchLearnerOf(trainer, chosen, { model, loss, group, order });
}
