import type { Loss } from '../../losses/loss.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';
import type { Learner } from '../../models/learning/learner.js';
import type { Model } from '../../models/model.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
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

/** The stage `optimize` with the optimizers that it can name. */
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

/** The threads of a training, which start with the run and end with its scope; undefined where there is but one. */
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
 * The machines that a plan trains on; undefined for this one alone.
 *
 * @param executor makes the passes over shards in the place of them
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

/** What a learner is built from besides its plan. */
export interface LearnerGiven {
  readonly model: Model;
  readonly loss: Loss;
  readonly threads: ThreadGroup | undefined;
  readonly cluster: Pick<Cluster, 'remote' | 'executor'> | undefined;
  readonly steps: Omit<StepOptions, 'passes'>;
}

/**
 * A learner of a plan without threads and machines, restored where the run resumes.
 *
 * @param part of the checkpoint
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
 * The learner of a plan with its way through the input, restored where the run resumes.
 *
 * @throws TagstreamError `config` where the parts do not go together, `checkpoint`
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
