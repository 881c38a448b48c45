import type { Loss } from '../../../engine/losses/loss.js';
import type { ShardExecutor } from '../../../engine/models/group/mixing/shard-executor.js';
import type { Learner } from '../../../engine/models/learning/learner.js';
import type { Model } from '../../../engine/models/model.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { ThreadGroup } from '../../workers/thread-group.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { createTrainee } from '../learners/learner-of.js';
import type { StepOptions, Trainee } from '../learners/trainee.js';
import { oneOf } from '../options/one-of.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { type Cluster, mixingCluster, summingCluster } from '../setup/open-cluster.js';
import { restorePart } from '../setup/restore-run.js';

/** Returns the stage `optimize` with the optimizers that it can name. */
export function optimizeStage(
  optimizers: readonly OptimizerComponent<never>[],
  trainers: readonly TrainerComponent<never>[],
): StageComponent {
  return defineStage({
    name: 'optimize',
    summary: 'updates the weights with an optimizer',
    example: 'optimize: { sgd: { eta0: 0.1, l2: 0.5 } }',
    takes: ['contribution'],
    gives: 'training step',
    options: oneOf([...optimizers, ...trainers]),
  });
}

/**
 * Creates the threads of a training run, which start with the run and end with its scope; undefined for a single
 * thread.
 */
export function createThreads(
  { train }: TrainPlan | LearnPlan,
  { scope, catalogue }: Pick<RunContext, 'scope' | 'catalogue'>,
): ThreadGroup | undefined {
  const { workers } = train.options;
  if (workers === 1) return undefined;
  const group = new ThreadGroup(workers, modulesForThreads(catalogue.plugins));
  scope.defer(() => group.close());
  return group;
}

/**
 * Creates the cluster on which a plan trains; undefined for this machine alone.
 *
 * @param executor executor that makes the passes over shards instead of the cluster
 */
export function createCluster(
  { optimizer }: TrainPlan | LearnPlan,
  context: RunContext,
  executor?: ShardExecutor,
): Cluster | undefined {
  if (executor !== undefined) return { executor: () => executor, open: async () => undefined };
  if (optimizer.kind === 'online' || optimizer.cluster === undefined) return undefined;
  const connect = optimizer.kind === 'batch' ? summingCluster : mixingCluster;
  return connect(optimizer.cluster, context);
}

/** Inputs of a learner in addition to its plan. */
export interface LearnerGiven {
  readonly model: Model;
  readonly loss: Loss;
  readonly threads: ThreadGroup | undefined;
  readonly cluster: Pick<Cluster, 'remote' | 'executor'> | undefined;
  readonly steps: Omit<StepOptions, 'passes'>;
}

/**
 * Creates the learner of a plan without threads and machines, restored if the run resumes.
 *
 * @param part the learner's part of the checkpoint
 * @throws TagstreamError `config`, `checkpoint`
 */
export function createLearner(
  { optimizer, train }: LearnPlan,
  model: Model,
  loss: Loss,
  { catalogue, restored, events }: Pick<RunContext, 'catalogue' | 'restored' | 'events'>,
  part: string,
): Learner {
  const { learner } = createTrainee(optimizer, {
    ...{ model, loss, train: train.options },
    optimizers: catalogue.optimizers.items,
  });
  if (restored !== undefined) restorePart(restored, part, state => learner.restore(state));
  learner.onEvicted = features => events.onEvicted?.(features);
  return learner;
}

/**
 * Builds the learner of a plan with its training procedure, restored if the run resumes.
 *
 * @throws TagstreamError `config` if the parts cannot be combined, `checkpoint`
 */
export function buildLearner(
  { optimizer, train }: TrainPlan | LearnPlan,
  { model, loss, threads, cluster, steps }: LearnerGiven,
  { catalogue, restored, events }: Pick<RunContext, 'catalogue' | 'restored' | 'events'>,
): Trainee {
  const trainee = createTrainee(
    optimizer,
    {
      ...{ model, loss, train: train.options, group: threads, ...cluster },
      optimizers: catalogue.optimizers.items,
    },
    steps,
  );
  const { learner } = trainee;
  if (restored !== undefined) restorePart(restored, 'learner', state => learner.restore(state));
  learner.onEvicted = features => events.onEvicted?.(features);
  return trainee;
}
