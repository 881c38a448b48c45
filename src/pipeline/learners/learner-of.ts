import type { Refusal } from '../../core/component.js';
import { TagstreamError } from '../../core/errors.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Loss } from '../../losses/loss.js';
import { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';
import { ParallelLearner } from '../../models/group/parallel-learner.js';
import type { WorkerGroup } from '../../models/group/worker-group.js';
import { Learner, requireSinglePairs } from '../../models/learning/learner.js';
import { SeedMean } from '../../models/learning/seed-mean.js';
import type { Model } from '../../models/model.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { ObjectiveGroup, RemoteSums } from '../../trainers/shards/objective-group.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { optimizers } from '../catalogue/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { chosenOf } from '../options/one-of.js';
import type { TrainOptions } from '../options/train-options.js';
import { batchLearnerOf } from '../trainers/batch-learner-of.js';
import { type ChosenOptimizer, lossRefusal, optimizerIn } from '../trainers/trainer-traits.js';
import {
  BatchTrainee,
  MixingTrainee,
  OnlineTrainee,
  type StepOptions,
  type Trainee,
} from './trainee.js';

/** Threads for any optimizer, online or batch, such as `ThreadGroup`. */
export type TrainerGroup = WorkerGroup & ObjectiveGroup;

/** The optimizers that a choice can name. */
export interface KnownOptimizers {
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly trainers: readonly TrainerComponent<never>[];
}

const builtIn: KnownOptimizers = { optimizers, trainers };

/** What a learner works with. */
export interface LearnerParts {
  readonly model: Model;
  readonly loss: Loss;
  readonly train: Partial<TrainOptions> | undefined;
  /** Threads that share the work, where there are several. */
  readonly group?: TrainerGroup | undefined;
  /** Who sums over the corpus for a batch optimizer, where other machines do it. */
  readonly remote?: RemoteSums | undefined;
  /** Who makes the passes over shards, where other machines do it; asked for with the first sentence. */
  readonly executor?: (() => ShardExecutor) | undefined;
}

/**
 * The learner for a checked choice of an optimizer, online or batch, `{ name: options }`, and its way through the input.
 *
 * @throws TagstreamError `config` where the optimizer does not support the loss, or threads cannot share its work
 */
export function createTrainee(
  chosen: Readonly<Record<string, unknown>>,
  parts: LearnerParts,
  steps: Omit<StepOptions, 'passes'> = {},
  known: KnownOptimizers = builtIn,
): Trainee {
  const { model, loss, train = {}, group, remote, executor = noExecutor } = parts;
  requireLoss(chosen, loss, known);
  const { epochs, seeds = 1, seed = 1, shuffle = true, dropout = 0, cluster, corpusSize } = train;
  const options: StepOptions =
    epochs === undefined ? steps : { ...steps, passes: { epochs, seeds, seed, shuffle, dropout } };
  const { kernel } = model;
  if (isBatch(chosen, known)) {
    const { component, options: own } = chosenOf(known.trainers, chosen);
    const given = { model, loss, group, remote, order: { seed, shuffle } };
    return new BatchTrainee(batchLearnerOf(component, own as never, given), options);
  }
  const { component, options: own } = optimizerIn(known.optimizers, chosen, train);
  requireSinglePairs(model, component);
  const optimizer = { optimizer: component.name, options: own };
  if (cluster !== undefined) {
    const { shards, every } = cluster;
    const { sentences, tokens } = steps.batch ?? {};
    const order = { minibatches: { sentences, tokens }, seed, shuffle };
    const streamSize = epochs === undefined ? corpusSize : undefined;
    const learner = new MixingLearner(model, { loss, ...optimizer, shards, ...order, streamSize });
    return new MixingTrainee(learner, options, { executor, every });
  }
  const withSeeds = <Made extends Learner>(learner: Made) => {
    if (seeds > 1 && epochs !== undefined) learner.seeds = new SeedMean({ seeds, epochs });
    return learner;
  };
  if (group !== undefined) {
    const { mode = 'deterministic' } = train;
    const { optimizers: all } = known;
    const given = { loss, ...optimizer, optimizers: all, mode, group, corpusSize };
    const learner = withSeeds(new ParallelLearner(model, given));
    return new OnlineTrainee(learner, options, corpus => learner.begin(corpus));
  }
  const create = (size: number, parameters: ParameterStore) => {
    const endless = epochs === undefined;
    return component.create(own as never, { kernel, parameters, corpusSize: size, endless });
  };
  return new OnlineTrainee(withSeeds(new Learner(model, loss, create, corpusSize)), options);
}

/** The same learner by itself. */
export function learnerOf(
  chosen: Readonly<Record<string, unknown>>,
  parts: LearnerParts,
  known: KnownOptimizers = builtIn,
): Learner {
  return createTrainee(chosen, parts, {}, known).learner;
}

function requireLoss(
  chosen: Readonly<Record<string, unknown>>,
  loss: Loss,
  known: KnownOptimizers,
): void {
  const unfit = unfitLoss(chosen, loss, known);
  if (unfit !== undefined) throw new TagstreamError('config', unfit.problem, { fix: unfit.fix });
}

function noExecutor(): never {
  throw new TagstreamError('stage', 'there are no machines to train the shards');
}

/** Whether a choice names a batch optimizer. */
export function isBatch(
  chosen: Readonly<Record<string, unknown>>,
  known: KnownOptimizers = builtIn,
): boolean {
  return known.trainers.some(({ name }) => Object.hasOwn(chosen, name));
}

/** Why a chosen optimizer does not go with a loss; undefined where it does. */
export function unfitLoss(
  chosen: Readonly<Record<string, unknown>>,
  loss: Loss,
  known: KnownOptimizers = builtIn,
): Refusal | undefined {
  const optimizer: ChosenOptimizer = isBatch(chosen, known)
    ? { kind: 'batch', ...chosenOf(known.trainers, chosen) }
    : { kind: 'online', ...chosenOf(known.optimizers, chosen) };
  return lossRefusal(optimizer, loss);
}
