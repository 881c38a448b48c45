import { TagstreamError } from '../../core/errors.js';
import type { Refusal } from '../../core/training/refusal.js';
import type { Loss } from '../../losses/loss.js';
import { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import type { MinibatchLimits } from '../../models/group/mixing/shard-job.js';
import { ParallelLearner } from '../../models/group/parallel-learner.js';
import type { WorkerGroup } from '../../models/group/worker-group.js';
import { Learner } from '../../models/learning/learner.js';
import { requireSinglePairs } from '../../models/learning/require-single-pairs.js';
import { SeedMean } from '../../models/learning/seed-mean.js';
import type { Model } from '../../models/model.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { ObjectiveGroup } from '../../trainers/shards/objective-group.js';
import type { RemoteSums } from '../../trainers/shards/shard-sums.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { optimizers } from '../catalogue/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { chosenOf } from '../options/one-of.js';
import type { TrainOptions } from '../options/train-options.js';
import { batchLearnerOf } from '../trainers/batch-learner-of.js';
import { type ChosenOptimizer, lossRefusal } from '../trainers/needed-loss.js';
import { optimizerIn } from '../trainers/optimizer-in.js';

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
  /** How sentences are put into minibatches, where other machines do it. */
  readonly minibatches?: MinibatchLimits | undefined;
}

/**
 * The learner for a checked choice of an optimizer, online or batch: `{ name: options }`.
 *
 * @throws TagstreamError `config` where the optimizer does not support the loss, or threads cannot share its work
 */
export function learnerOf(
  chosen: Readonly<Record<string, unknown>>,
  { model, loss, train, group, remote, minibatches }: LearnerParts,
  known: KnownOptimizers = builtIn,
): Learner {
  const unfit = unfitLoss(chosen, loss, known);
  if (unfit !== undefined) throw new TagstreamError('config', unfit.problem, { fix: unfit.fix });
  const { kernel, parameters } = model;
  if (isBatch(chosen, known)) {
    const { component, options } = chosenOf(known.trainers, chosen);
    const { seed = 1, shuffle = true } = train ?? {};
    const order = { seed, shuffle };
    return batchLearnerOf(component, options as never, { model, loss, group, remote, order });
  }
  const { component, options } = optimizerIn(known.optimizers, chosen, train);
  requireSinglePairs(model, component);
  if (train?.cluster !== undefined) {
    const { seed, shuffle, cluster, epochs } = train;
    const optimizer = { optimizer: component.name, options };
    const { shards } = cluster;
    const streamSize = epochs === undefined ? train.corpusSize : undefined;
    const order = { minibatches, seed, shuffle, streamSize };
    return new MixingLearner(model, { loss, ...optimizer, shards, ...order });
  }
  const corpusSize = train?.corpusSize;
  const { seeds = 1, epochs } = train ?? {};
  const withSeeds = (learner: Learner) => {
    if (seeds > 1 && epochs !== undefined) learner.seeds = new SeedMean({ seeds, epochs });
    return learner;
  };
  if (group !== undefined) {
    const { mode = 'deterministic' } = train ?? {};
    const optimizer = { optimizer: component.name, optimizers: known.optimizers, options };
    return withSeeds(new ParallelLearner(model, { loss, ...optimizer, mode, group, corpusSize }));
  }
  const endless = train?.epochs === undefined;
  const create = (size: number) =>
    component.create(options as never, { kernel, parameters, corpusSize: size, endless });
  return withSeeds(new Learner(model, loss, create, corpusSize));
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
