import { from, lastValueFrom, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../src/engine/core/training/state.js';
import type { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import { pruneFeatures } from '../../../../src/engine/models/learning/drop-features.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { type AdagradOptions, adagrad } from '../../../../src/engine/optimizers/adagrad.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../../src/engine/optimizers/sgd-l1.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../../house/long-forms.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { MemoryCheckpointStore } from '../../operators/memory-checkpoint-store.js';
import { digest } from '../examples/digest.js';
import { modelWith } from '../examples/model-with.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';

function modelOf(kernel: Kernel, pruneEvery?: number, cutoff = 1): Model {
  const index = { mode: 'exact', cutoff, ...(pruneEvery === undefined ? {} : { pruneEvery }) };
  return modelWith(kernel, { templates, index: index as never });
}

const learnerOf = (model: Model, l1 = 0.5) =>
  createOnlineLearner(model, {
    loss: logLoss,
    optimizer: sgdL1,
    options: { schedule: 'constant', eta0: 0.2, l1 },
    corpusSize: 20,
  });

const adagradOf = (model: Model, options: Partial<AdagradOptions>) =>
  createOnlineLearner(model, {
    loss: logLoss,
    optimizer: adagrad,
    options: { l1: 0.5, l2: 0, normalized: true, ...options },
    corpusSize: 20,
  });

/** Sentences of known words with a label each, and in each a word that never came before. */
function endless(seed: number, count: number, prefix = 'new'): Sentence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const numbers = Array.from({ length: 1 + random.below(4) }, () => random.below(6));
    const tokens = [...numbers.map(word => `w${word}`), `${prefix}${i}`];
    const tags = [...numbers.map(word => `L${word % 3}`), `L${random.below(3)}`];
    return sentenceOf(tokens, { tags });
  });
}

async function learn(model: Model, learner: Learner, stream: readonly Sentence[], size = 1) {
  const steps = from(stream).pipe(
    featurize(model),
    batch({ sentences: size }),
    contribute(learner),
    optimize(learner),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
}

const indexes = (model: Model) => [model.stateIndex, model.edgeIndex] as ExactIndex[];

describe.each(kernelRows)('with the $name kernel', ({ kernel }) => {
  for (const part of everyNth(2, [
    ['sgd-l1', learnerOf],
    ['adagrad', model => adagradOf(model, {})],
    ['adagrad by dual averaging', model => adagradOf(model, { update: 'dual-averaging' })],
  ])) {
    it.each<[string, (model: Model) => Learner]>(part.rows)(
      'keeps the rows of a stream of ever-new words, which otherwise grow: %s',
      { tags: part.tags },
      async (_, create) => {
        const stream = endless(1, 800);
        const [pruned, whole] = [modelOf(kernel, 50), modelOf(kernel)];
        const learner = create(pruned);
        await learn(pruned, learner, stream.slice(0, 400));
        const before = indexes(pruned).map(({ size, capacity }) => [size, capacity]);
        await learn(pruned, learner, stream.slice(400));
        expect(indexes(pruned).map(({ size, capacity }) => [size, capacity])).toEqual(before);
        await learn(whole, create(whole), stream);
        for (const [i, index] of indexes(pruned).entries()) {
          expect(index.size).toBeLessThan(300);
          expect(indexes(whole)[i]!.size).toBeGreaterThan(800);
        }
      },
    );
  }

  it('leaves no trace in a row: what takes it is learned as in a row of its own', async () => {
    const own = endless(3, 60, 'own');
    const known = Array.from({ length: 6 }, (_, word) => `w${word}`);
    const words = [...known, 'own3', 'own20', 'own41', 'own59'];
    const learned = async (first: readonly Sentence[]) => {
      const model = modelOf(kernel, 1_000_000);
      const learner = learnerOf(model);
      // Labels in the same order; then the words are forgotten, by a penalty that nothing stands up to.
      const labels = ['L0', 'L1', 'L2'];
      await learn(model, learner, [sentenceOf(labels, { tags: labels }), ...first]);
      for (const plane of [model.parameters.weights.state, model.parameters.weights.edges]) {
        plane.view.fill(0);
      }
      pruneFeatures(model, learner.optimizer);
      pruneFeatures(model, learner.optimizer);
      expect(indexes(model).map(({ rowsInUse }) => rowsInUse)).toEqual([0, 0]);
      const { size } = model.stateIndex;
      await learn(model, learner, own.slice(0, 30));
      await learn(model, learner, own.slice(30), 4);
      const { width, matrixSize } = model.parameters;
      const { weights } = learner.deployedParameters();
      const numbers: number[] = [];
      for (const word of words) {
        const probe = model.encodeKnown(sentenceOf([word, word]));
        const state = probe.stateRows[0]! * width;
        const edges = probe.edgeRows![0]! * matrixSize;
        numbers.push(...weights.state.view.slice(state, state + 3));
        numbers.push(...weights.edges.view.slice(edges, edges + 3 * width));
      }
      return { numbers, reused: size };
    };
    const fresh = await learned([]);
    for (const before of [40, 300]) {
      const reusing = await learned(endless(4, before));
      expect(reusing.reused).toBeGreaterThan(before);
      expect(reusing.numbers).toEqual(fresh.numbers);
    }
    expect(fresh.numbers.filter(weight => weight !== 0).length).toBeGreaterThan(20);
  });

  it('changes no deployed weight', async () => {
    const model = modelOf(kernel, 1_000_000);
    const learner = learnerOf(model);
    await learn(model, learner, endless(5, 150));
    const before = learner.deployedParameters().weights;
    pruneFeatures(model, learner.optimizer);
    pruneFeatures(model, learner.optimizer);
    const after = learner.deployedParameters().weights;
    expect(after.state.view).toEqual(before.state.view);
    expect(after.edges.view).toEqual(before.edges.view);
    const { weights, stateRows, width } = model.parameters;
    // Nothing is owed: the raw weights are the deployed ones, but for the rounding of a file.
    for (let i = 0; i < stateRows * width; i += 1) {
      expect(Math.fround(weights.state.view[i]!)).toBe(after.state.view[i]);
    }
    expect(after.state.view.some(weight => weight !== 0)).toBe(true);
  });

  it.each([
    [1, 1],
    [4, 1],
    [1, 2],
  ])(
    'resumes from any checkpoint to the same bytes: minibatches of %i, cutoff %i',
    { tags: 'slow' },
    async (size, cutoff) => {
      const stream = endless(6, 120);
      const run = async (resumed?: CheckpointParts) => {
        const model =
          resumed === undefined
            ? modelOf(kernel, 20, cutoff)
            : restoreModelState(resumed.model!, kernel);
        const learner = learnerOf(model);
        if (resumed !== undefined) learner.restore(resumed.learner!);
        const store = new MemoryCheckpointStore();
        const parts = () => ({ model: saveModelState(model), learner: learner.save() });
        const steps = from(stream.slice(learner.sentencesSeen)).pipe(
          featurize(model),
          batch({ sentences: size }),
          contribute(learner),
          optimize(learner),
          checkpoint(store, parts, { sentences: 1 }),
        );
        await lastValueFrom(steps, { defaultValue: undefined });
        return { bytes: digest(writeModel(learner)), generations: store.generations };
      };
      const whole = await run();
      const count = whole.generations.length;
      expect(count).toBe(120 / size);
      for (const at of [1, 19 / size, 20 / size, 21 / size, 45 / size, 100 / size, count - 1]) {
        const from = Math.max(1, Math.floor(at));
        const rest = await run(whole.generations[from - 1]);
        expect(rest.bytes).toBe(whole.bytes);
        // Planes have room for rows to come: more or less of it, but the same rows.
        const ends = [rest, whole].map(({ generations }) => generations.at(-1)!.model!);
        expect(ends[0]!.json).toEqual(ends[1]!.json);
        for (const name of ['stateIndex.free', 'stateIndex.table', 'edgeIndex.free']) {
          expect(ends[0]!.arrays[name]).toEqual(ends[1]!.arrays[name]);
        }
      }
    },
  );

  it('resumes with words that have been read and not yet learned from in rows of others', async () => {
    const stream = endless(7, 64);
    const model = modelOf(kernel, 16);
    const learner = learnerOf(model);
    await learn(model, learner, stream.slice(0, 60));
    // Read, not learned from: its word has a row that was free.
    const waiting = model.encode(stream[60]!);
    const saved = structuredClone({ model: saveModelState(model), learner: learner.save() });
    expect((saved.model.arrays['reborn.state'] as Uint32Array).length).toBeGreaterThan(0);
    const again = restoreModelState(saved.model, kernel);
    const rest = learnerOf(again);
    rest.restore(saved.learner);
    expect(again.encode(stream[60]!).stateRows).toEqual(waiting.stateRows);
    const ends = [];
    for (const [m, l] of [
      [model, learner],
      [again, rest],
    ] as const) {
      await learn(m, l, stream.slice(60));
      ends.push(digest(writeModel(l)));
    }
    expect(ends[1]).toBe(ends[0]);
  });
});

describe('pruning', () => {
  const { kernel } = kernelRows[0]!;

  it('is at multiples of its sentences, wherever minibatches end', async () => {
    const model = modelOf(kernel, 10);
    const learner = learnerOf(model);
    const versions: number[] = [];
    const steps = from(endless(8, 36)).pipe(
      featurize(model),
      batch({ sentences: 4 }),
      contribute(learner),
      optimize(learner),
      take(9),
    );
    let last = 0;
    await new Promise<void>((complete, error) =>
      steps.subscribe({
        next: () => {
          // An update counts once, a pruning once more.
          versions.push(model.parameters.version - last);
          last = model.parameters.version;
        },
        complete,
        error,
      }),
    );
    expect(versions).toEqual([1, 1, 2, 1, 2, 1, 1, 2, 1]);
  });

  it.each([sgd, perceptron])(
    'is refused with $name, which never makes a weight zero',
    optimizer => {
      const model = modelOf(kernel, 10);
      const learner = createOnlineLearner(model, {
        loss: logLoss,
        optimizer: optimizer as typeof sgd,
        corpusSize: 10,
      });
      expect(() => learner.optimizer).toThrow(`${optimizer.name} never makes a weight zero`);
    },
  );

  it('is refused over a corpus', () => {
    expect(() => settleCorpus(modelOf(kernel, 10), [])).toThrow(
      'pruneEvery cannot be combined with several passes: features are pruned only on a stream',
    );
  });
});
