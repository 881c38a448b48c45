import { TagstreamError } from '../../../engine/core/errors.js';
import type { Loss } from '../../../engine/losses/loss.js';
import { MixingLearner } from '../../../engine/models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../../engine/models/group/mixing/shard-executor.js';
import { ParallelLearner } from '../../../engine/models/group/parallel-learner.js';
import type { WorkerGroup } from '../../../engine/models/group/worker-group.js';
import {
  type CreateOptimizer,
  Learner,
  requireSinglePairs,
} from '../../../engine/models/learning/learner.js';
import { SeedMean } from '../../../engine/models/learning/seed-mean.js';
import type { Model } from '../../../engine/models/model.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import { optimizers as builtIn } from '../../../engine/optimizers/optimizers.js';
import type {
  ObjectiveGroup,
  RemoteSums,
} from '../../../engine/trainers/shards/objective-group.js';
import type { TrainOptions } from '../options/train-options.js';
import { batchLearnerOf } from '../trainers/batch-learner-of.js';
import { type ChosenOptimizer, optimizerIn } from '../trainers/trainer-traits.js';
import {
  BatchTrainee,
  MixingTrainee,
  OnlineTrainee,
  type StepOptions,
  type Trainee,
} from './trainee.js';

/** Threads for any optimizer, online or batch, such as `ThreadGroup`. */
export type TrainerGroup = WorkerGroup & ObjectiveGroup;

/** The parts that a learner uses. */
export interface LearnerParts {
  readonly model: Model;
  readonly loss: Loss;
  readonly train: Partial<TrainOptions> | undefined;
  /** The threads that share the work, if there are several. */
  readonly group?: TrainerGroup | undefined;
  /** Online optimizers that the threads find by name. Default: those of Tagstream. */
  readonly optimizers?: readonly OptimizerComponent<never>[] | undefined;
  /** Sums over the corpus for a batch optimizer, if other machines compute them. */
  readonly remote?: RemoteSums | undefined;
  /** Returns the executor of passes over shards on other machines; called at the first sentence. */
  readonly executor?: (() => ShardExecutor) | undefined;
}

/**
 * Creates the learner and training procedure of an optimizer with checked options, online or batch. The plan ensures
 * that the optimizer supports the loss.
 *
 * @throws TagstreamError `config` if threads or machines cannot share its work
 */
export function createTrainee(
  optimizer: ChosenOptimizer,
  parts: LearnerParts,
  steps: Omit<StepOptions, 'passes'> = {},
): Trainee {
  const { model, loss, train = {}, group, remote, executor = noExecutor } = parts;
  const { epochs, seeds = 1, seed = 1, shuffle = true, dropout = 0, cluster, corpusSize } = train;
  const options: StepOptions =
    epochs === undefined ? steps : { ...steps, passes: { epochs, seeds, seed, shuffle, dropout } };
  const { kernel } = model;
  if (optimizer.kind === 'batch') {
    const given = { model, loss, group, remote, order: { seed, shuffle } };
    const learner = batchLearnerOf(optimizer.component, optimizer.options as never, given);
    return new BatchTrainee(learner, options);
  }
  const { component, options: own } = optimizerIn(optimizer, train);
  requireSinglePairs(model, component);
  const byName = { optimizer: component.name, options: own };
  if (cluster !== undefined) {
    const { shards, every } = cluster;
    const { sentences, tokens } = steps.batch ?? {};
    const order = { minibatches: { sentences, tokens }, seed, shuffle };
    const streamSize = epochs === undefined ? corpusSize : undefined;
    const learner = new MixingLearner(model, { loss, ...byName, shards, ...order, streamSize });
    return new MixingTrainee(learner, options, { executor, every });
  }
  const withSeeds = <Made extends Learner>(learner: Made) => {
    if (seeds > 1 && epochs !== undefined) learner.seeds = new SeedMean({ seeds, epochs });
    return learner;
  };
  if (group !== undefined) {
    const { mode = 'deterministic' } = train;
    const { optimizers = builtIn } = parts;
    const given = { loss, ...byName, optimizers, mode, group, corpusSize };
    const learner = withSeeds(new ParallelLearner(model, given));
    return new OnlineTrainee(learner, options, corpus => learner.begin(corpus));
  }
  const endless = epochs === undefined;
  const create: CreateOptimizer = (corpusSize, parameters, contribute) =>
    component.create(own as never, { kernel, parameters, corpusSize, endless, contribute });
  return new OnlineTrainee(withSeeds(new Learner(model, loss, create, corpusSize)), options);
}

function noExecutor(): never {
  throw new TagstreamError('stage', 'no workers are available to train the shards');
}
