import { from, lastValueFrom, tap } from 'rxjs';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../src/engine/core/training/state.js';
import type { PassMargin } from '../../../../src/engine/core/training/trainer.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { ExponentialLoss } from '../../../../src/engine/losses/exponential-loss.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import { localLogLoss } from '../../../../src/engine/losses/local-log-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { pointwiseExponentialLoss } from '../../../../src/engine/losses/pointwise/pointwise-exponential-loss.js';
import { SoftmaxMargin } from '../../../../src/engine/losses/softmax-margin.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import { ParallelLearner } from '../../../../src/engine/models/group/parallel-learner.js';
import type { GroupMode } from '../../../../src/engine/models/group/worker-group.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { SeedMean } from '../../../../src/engine/models/learning/seed-mean.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { passes } from '../../../../src/engine/operators/passes.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { ThreadGroup } from '../../../../src/runtime/workers/thread-group.js';
import { MemoryCheckpointStore } from '../../operators/memory-checkpoint-store.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { withDefaults } from '../../optimizers/with-defaults.js';
import { digest } from '../examples/digest.js';
import { modelWith } from '../examples/model-with.js';

/** A way to train. */
export interface Way {
  readonly optimizer: string;
  readonly variant: string;
  /** The loss that goes with the optimizer, where absent. */
  readonly loss?: Loss;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly spec?: Partial<ModelSpec>;
}

const average = { average: true, averageAfter: 0.5 };

const special: readonly Way[] = [
  { optimizer: 'sgd', variant: 'plain' },
  { optimizer: 'sgd', variant: 'averaged', options: average },
  {
    optimizer: 'sgd',
    variant: 'averaged, of a scale that is multiplied in',
    options: { average: true, averageAfter: 0, l2: 40, eta0: 0.05, schedule: 'constant' },
  },
  {
    optimizer: 'sgd',
    variant: 'of observed pairs',
    spec: { support: 'observed' },
    options: average,
  },
  { optimizer: 'sgd', variant: 'with a cutoff', spec: { index: { mode: 'exact', cutoff: 3 } } },
  {
    optimizer: 'sgd',
    variant: 'of hashed features',
    spec: { index: { mode: 'hashed', rows: 40, edgeRows: 7 } },
  },
  { optimizer: 'sgd-l1', variant: 'plain' },
  { optimizer: 'sgd-l1', variant: 'of observed pairs', spec: { support: 'observed' } },
  { optimizer: 'perceptron', variant: 'averaged' },
  { optimizer: 'perceptron', variant: 'plain', options: { average: false } },
  { optimizer: 'voted-perceptron', variant: 'of few voters', options: { voters: 5 } },
  { optimizer: 'sgd', variant: 'pointwise loss', loss: pointwiseExponentialLoss, options: average },
  {
    optimizer: 'sgd',
    variant: 'exponential loss with a bound',
    loss: new ExponentialLoss({ bound: 4 }),
  },
  { optimizer: 'sgd-l1', variant: 'margin loss', loss: hingeLoss },
  {
    optimizer: 'sgd',
    variant: 'of a locally normalised model',
    loss: localLogLoss,
    spec: { scorer: 'memm' },
  },
  {
    optimizer: 'sgd-l1',
    variant: 'of a locally normalised model, of the log loss',
    spec: { scorer: 'memm' },
  },
  {
    optimizer: 'sgd',
    variant: 'soft margin loss',
    loss: new SoftmaxMargin({ cost: 0.5, missCost: 2, outside: () => 3 }),
  },
  { optimizer: 'adagrad', variant: 'with L1 and L2', options: { l1: 0.1, l2: 0.1 } },
  { optimizer: 'passive-aggressive', variant: 'averaged' },
  { optimizer: 'arow', variant: 'plain' },
];

/** Every optimizer but those that count, in one thread, and whatever makes their state or their parameters different. */
export const ways = withDefaults(
  special,
  ({ optimizer }) => optimizer,
  ({ name }) => ({ optimizer: name, variant: 'by default' }),
  ['counts', 'stepwise-em', 'smd'],
);

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]';
const small = smallCorpus(new Random(81), 23, { labels: 5, words: 20, longest: 5 });

/** How a way is gone. */
export interface Together {
  readonly kernel: Kernel;
  readonly sentences: number;
  /** No group at all where absent. */
  readonly workers?: number;
  readonly mode?: GroupMode;
  readonly epochs?: number;
  /** Default 3. */
  readonly seed?: number;
  readonly seeds?: number;
  readonly resumed?: CheckpointParts;
  readonly predict?: boolean;
  readonly corpus?: readonly Sentence[];
}

/** Passes over a small corpus with real-valued and edge features; what comes of them. */
export async function trainTogether(way: Way, given: Together) {
  const { kernel, sentences, workers, resumed, corpus = small } = given;
  const spec = { templates, columns: ['form', 'n'], ...way.spec };
  const model =
    resumed === undefined ? modelWith(kernel, spec) : restoreModelState(resumed.model!, kernel);
  const component = optimizers.find(({ name }) => name === way.optimizer)!;
  const loss = way.loss ?? (component.losses === undefined ? logLoss : perceptronLoss);
  const options = component.options.parse(way.options ?? {});
  const group = workers === undefined ? undefined : new ThreadGroup(workers);
  const { mode = 'deterministic' } = given;
  const learner =
    group === undefined
      ? createOnlineLearner(model, {
          loss,
          optimizer: component,
          options: (way.options ?? {}) as never,
        })
      : new ParallelLearner(model, { loss, optimizer: way.optimizer, options, mode, group });
  const { epochs = 3, seed = 3, seeds = 1 } = given;
  if (seeds > 1) learner.seeds = new SeedMean({ seeds, epochs });
  if (resumed !== undefined) learner.restore(resumed.learner!);
  const store = new MemoryCheckpointStore();
  const parts = () => ({ model: saveModelState(model), learner: learner.save() });
  const losses: number[] = [];
  const predicted: string[] = [];
  const margins: PassMargin[] = [];
  try {
    await lastValueFrom(
      from(corpus).pipe(
        featurize(model),
        passes(model, {
          ...{ epochs, seed, seeds },
          skip: learner.sentencesSeen,
          onSettled: settled => {
            if (learner instanceof ParallelLearner) learner.begin(settled);
          },
        }),
        batch({ sentences }),
        contribute(learner, { predict: given.predict ?? false }),
        optimize(learner),
        tap(({ meanLoss, contribution, margin }) => {
          losses.push(meanLoss);
          if (margin !== undefined) margins.push(margin);
          predicted.push(`${contribution.predicted} ${contribution.predictedScores}`);
        }),
        checkpoint(store, parts, { passes: 1 }),
      ),
    );
    const { state, edges, pairs } = learner.deployedParameters().weights;
    const weights = [state, edges, pairs].map(({ view }) => view.slice());
    return { bytes: digest(writeModel(learner)), weights, losses, predicted, margins, store };
  } finally {
    await group?.close();
  }
}
