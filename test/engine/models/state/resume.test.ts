import { from, lastValueFrom, type Observable, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../src/engine/core/training/state.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { localLogLoss } from '../../../../src/engine/losses/local-log-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import { defaultKernel } from '../../../../src/engine/models/kernels.js';
import {
  EarlyStopping,
  HeldOutEvaluator,
} from '../../../../src/engine/models/learning/held-out-evaluator.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { evaluate } from '../../../../src/engine/operators/evaluate.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { passes } from '../../../../src/engine/operators/passes.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../../house/long-forms.js';
import { MemoryCheckpointStore } from '../../operators/memory-checkpoint-store.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { withDefaults } from '../../optimizers/with-defaults.js';
import { digest } from '../examples/digest.js';
import { modelWith } from '../examples/model-with.js';

/** A way to train; each has to resume to the same bytes. */
interface Row {
  readonly optimizer: string;
  readonly variant: string;
  /** The loss that goes with the optimizer, where absent. */
  readonly loss?: Loss;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly spec?: Partial<ModelSpec>;
}

const average = { average: true, averageAfter: 1.5 };
const special: readonly Row[] = [
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
  {
    optimizer: 'sgd',
    variant: 'with a cutoff',
    spec: { index: { mode: 'exact', cutoff: 3 } },
  },
  {
    optimizer: 'sgd',
    variant: 'of observed pairs, with a cutoff',
    spec: { support: 'observed', index: { mode: 'exact', cutoff: 3 } },
  },
  {
    optimizer: 'sgd',
    variant: 'of hashed features',
    spec: { index: { mode: 'hashed', rows: 40, edgeRows: 7 } },
  },
  ...['sgd', 'perceptron', 'passive-aggressive', 'arow'].map(optimizer => ({
    ...{ optimizer, variant: 'averaged over a window', options: { average: { window: 9 } } },
    ...(optimizer === 'sgd' ? {} : { loss: perceptronLoss }),
  })),
  { optimizer: 'sgd-l1', variant: 'plain' },
  { optimizer: 'sgd-l1', variant: 'of observed pairs', spec: { support: 'observed' } },
  { optimizer: 'sgd-l1', variant: 'that clips', options: { penalty: 'clipping' } },
  { optimizer: 'sgd-l1', variant: 'with naive penalties', options: { penalty: 'naive' } },
  {
    optimizer: 'sgd-l1',
    variant: 'with naive penalties, of observed pairs',
    options: { penalty: 'naive', l1: 3 },
    spec: { support: 'observed' },
  },
  { optimizer: 'perceptron', variant: 'averaged' },
  { optimizer: 'perceptron', variant: 'plain', options: { average: false } },
  { optimizer: 'voted-perceptron', variant: 'of few voters', options: { voters: 6 } },
  { optimizer: 'adagrad', variant: 'with L1 and L2', options: { l1: 0.1, l2: 0.1 } },
  { optimizer: 'passive-aggressive', variant: 'averaged' },
  { optimizer: 'arow', variant: 'plain' },
  {
    optimizer: 'sgd-l1',
    variant: 'of a locally normalised model',
    loss: localLogLoss,
    spec: { scorer: 'memm' },
  },
  ...['sgd', 'perceptron'].map(optimizer => ({
    ...{ optimizer, variant: 'of hidden states' },
    spec: { hidden: { states: 2, spread: 0.3, seed: 5 } },
  })),
  {
    optimizer: 'sgd-l1',
    variant: 'of hidden states and observed pairs, with a cutoff',
    spec: {
      hidden: { states: 3, spread: 0.3, seed: 5 },
      support: 'observed',
      index: { mode: 'exact', cutoff: 3 },
    },
  },
  ...[1, 3].map(cutoff => ({
    optimizer: 'counts',
    variant: `with the cutoff ${cutoff}`,
    loss: jointLoss,
    options: { minCount: 3 },
    spec: {
      scorer: 'hmm' as const,
      templates: 'U0:%x[0,0]\nU1:%suffix[0,0,1]\nU2:%v[0,n]\nB',
      index: { mode: 'exact' as const, cutoff },
    },
  })),
  {
    optimizer: 'stepwise-em',
    variant: 'of words and numbers',
    loss: jointLoss,
    options: { minCount: 3, warmUp: 5 },
    spec: { scorer: 'hmm', templates: 'U0:%x[0,0]\nU1:%suffix[0,0,1]\nU2:%v[0,n]\nB' },
  },
];
const rows = withDefaults(
  special,
  ({ optimizer }) => optimizer,
  ({ name }) => ({ optimizer: name, variant: 'by default' }),
);

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]';
const corpus = smallCorpus(new Random(81), 23, { labels: 5, words: 20, longest: 5 });
const held = smallCorpus(new Random(82), 30, { labels: 5, words: 20, longest: 5 });

function modelOf({ spec }: Row, kernel: Kernel): Model {
  return modelWith(kernel, { templates, columns: ['form', 'n'], ...spec });
}

function learnerOf(row: Row, model: Model, corpusSize?: number): Learner {
  const optimizer = optimizers.find(({ name }) => name === row.optimizer)!;
  return createOnlineLearner(model, {
    loss: row.loss ?? (optimizer.losses === undefined ? logLoss : perceptronLoss),
    optimizer,
    options: (row.options ?? {}) as Partial<never>,
    ...(corpusSize === undefined ? {} : { corpusSize }),
  });
}

/** Three passes in minibatches of four, from the start or from a checkpoint. */
async function trainCorpus(row: Row, kernel: Kernel, resumed?: CheckpointParts) {
  const model =
    resumed === undefined ? modelOf(row, kernel) : restoreModelState(resumed.model!, kernel);
  const learner = learnerOf(row, model);
  const stopping = new EarlyStopping(9, () => writeModel(learner));
  if (resumed !== undefined) {
    learner.restore(resumed.learner!);
    stopping.restore(resumed.stopping!);
  }
  const store = new MemoryCheckpointStore();
  const parts = () => ({
    model: saveModelState(model),
    learner: learner.save(),
    stopping: stopping.save(),
  });
  const losses: number[] = [];
  const steps = from(corpus).pipe(
    featurize(model),
    passes(model, { epochs: 3, seed: 3, skip: learner.sentencesSeen }),
    batch({ sentences: 4 }),
    contribute(learner),
    optimize(learner),
    evaluate(new HeldOutEvaluator(learner, held), { stopping }),
    checkpoint(store, parts, { sentences: 1 }),
  );
  await new Promise<void>((complete, error) =>
    steps.subscribe({ next: step => losses.push(step.meanLoss), error, complete }),
  );
  return { bytes: digest(writeModel(learner)), store, losses, stopping };
}

/** A stream that is learned from as it comes, words and labels growing. */
const stream: readonly Sentence[] = [
  ...smallCorpus(new Random(83), 20, { labels: 2, words: 5, longest: 3 }),
  ...smallCorpus(new Random(84), 20, { labels: 7, words: 30, longest: 5 }),
];

async function learnStream(row: Row, kernel: Kernel, resumed?: CheckpointParts) {
  const model =
    resumed === undefined ? modelOf(row, kernel) : restoreModelState(resumed.model!, kernel);
  const learner = learnerOf(row, model, 30);
  if (resumed !== undefined) learner.restore(resumed.learner!);
  const store = new MemoryCheckpointStore();
  const parts = () => ({ model: saveModelState(model), learner: learner.save() });
  const steps: Observable<TrainingStep> = from(stream.slice(learner.sentencesSeen)).pipe(
    featurize(model),
    batch({ sentences: 3 }),
    contribute(learner),
    optimize(learner),
    checkpoint(store, parts, { sentences: 1 }),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
  return { bytes: digest(writeModel(learner)), store };
}

describe.each(kernelRows)('with the $name kernel', ({ kernel }) => {
  // Counting needs float64.
  const own = rows.filter(({ spec }) => spec?.scorer !== 'hmm' || kernel.precision === 'float64');
  for (const { rows, tags } of everyNth(30, own)) {
    describe.each(rows)('$optimizer, $variant', { tags }, row => {
      it('goes over a corpus from any checkpoint to the bytes of a run that never stopped', async () => {
        const whole = await trainCorpus(row, kernel);
        // 23 sentences in fours: six minibatches a pass.
        expect(whole.store.generations).toHaveLength(18);
        for (const at of [1, 6, 9, 17]) {
          const rest = await trainCorpus(row, kernel, whole.store.generations[at - 1]);
          expect(rest.bytes).toBe(whole.bytes);
          expect(rest.losses).toEqual(whole.losses.slice(at));
          expect(rest.stopping.bestPass).toBe(whole.stopping.bestPass);
          expect(digest(rest.stopping.bestModel!)).toBe(digest(whole.stopping.bestModel!));
        }
      });

      it('writes the same checkpoints after it was resumed as before', async () => {
        const whole = await trainCorpus(row, kernel);
        const rest = await trainCorpus(row, kernel, whole.store.generations[7]);
        expect(rest.store.generations).toHaveLength(10);
        const json = ({ generations }: MemoryCheckpointStore) =>
          generations
            .slice(-10)
            .map(parts => Object.entries(parts).map(([name, state]) => [name, state.json]));
        expect(json(rest.store)).toEqual(json(whole.store));
      });

      it('resumes a stream from any checkpoint, features and labels created before and after', async () => {
        const whole = await learnStream(row, kernel);
        expect(whole.store.generations).toHaveLength(14);
        for (const at of [1, 6, 8, 13]) {
          const rest = await learnStream(row, kernel, whole.store.generations[at - 1]);
          expect(rest.bytes).toBe(whole.bytes);
          expect(rest.store.generations).toHaveLength(14 - at);
        }
      });
    });
  }
});

it('resumes what was interrupted, and then interrupted again', async () => {
  const row = rows[1]!;
  const whole = await trainCorpus(row, defaultKernel);
  const model = restoreModelState(whole.store.generations[3]!.model!, defaultKernel);
  const learner = learnerOf(row, model);
  learner.restore(whole.store.generations[3]!.learner!);
  const store = new MemoryCheckpointStore();
  const parts = () => ({
    model: saveModelState(model),
    learner: learner.save(),
    stopping: new EarlyStopping(9, () => new Uint8Array(0)).save(),
  });
  await lastValueFrom(
    from(corpus).pipe(
      featurize(model),
      passes(model, { epochs: 3, seed: 3, skip: learner.sentencesSeen }),
      batch({ sentences: 4 }),
      contribute(learner),
      optimize(learner),
      checkpoint(store, parts, { sentences: 1 }),
      take(5),
    ),
  );
  const rest = await trainCorpus(row, defaultKernel, store.generations[4]!);
  expect(rest.bytes).toBe(whole.bytes);
});
