import { from, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { CheckpointParts } from '../../../../src/engine/core/training/state.js';
import type { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import type { GrowthLimit } from '../../../../src/engine/models/growth-limit.js';
import {
  createOnlineLearner,
  type Learner,
} from '../../../../src/engine/models/learning/learner.js';
import { Model } from '../../../../src/engine/models/model.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { checkpoint } from '../../../../src/engine/operators/checkpoint.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { adagrad } from '../../../../src/engine/optimizers/adagrad.js';
import { arow } from '../../../../src/engine/optimizers/arow.js';
import type { OptimizerComponent } from '../../../../src/engine/optimizers/optimizer.js';
import { passiveAggressive } from '../../../../src/engine/optimizers/passive-aggressive.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../../src/engine/optimizers/sgd-l1.js';
import { votedPerceptron } from '../../../../src/engine/optimizers/voted-perceptron.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../../house/long-forms.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { MemoryCheckpointStore } from '../../operators/memory-checkpoint-store.js';
import { digest } from '../examples/digest.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const limit: GrowthLimit = { features: 120, bytes: 2 ** 20 };
const { kernel } = kernelRows[0]!;

const optimizers = [
  ['sgd', sgd, { average: false }],
  ['sgd, averaged', sgd, { average: true, averageAfter: 0 }],
  ['sgd-l1', sgdL1, { l1: 0.1 }],
  ['sgd-l1 and l2', sgdL1, { l1: 0.1, l2: 0.1 }],
  ['sgd-l1, clipping', sgdL1, { l1: 0.1, penalty: 'clipping' }],
  ['sgd-l1, naive', sgdL1, { l1: 0.1, penalty: 'naive' }],
  ['adagrad', adagrad, { l1: 0.1 }],
  ['adagrad, normalized', adagrad, { l1: 0.1, normalized: true }],
  ['perceptron', perceptron, {}],
  ['passive-aggressive', passiveAggressive, {}],
  ['arow', arow, {}],
  ['voted-perceptron', votedPerceptron, { voters: 5 }],
] as const;

type Row = readonly [
  name: string,
  optimizer: Pick<OptimizerComponent<unknown>, 'losses'>,
  options: object,
];

const modelOf = (given: Partial<GrowthLimit> = {}, cutoff = 1) =>
  new Model(
    { templates, columns: ['form'], index: { mode: 'exact', cutoff }, support: 'all' },
    { kernel, limit: { ...limit, ...given } },
  );

function learnerOf(model: Model, [, optimizer, options]: Row): Learner {
  const loss = optimizer.losses?.includes('perceptron') === true ? perceptronLoss : logLoss;
  return createOnlineLearner(model, {
    loss,
    optimizer,
    options,
    corpusSize: 20,
  } as never) as Learner;
}

/** Sentences of eight known words with a label each, and in each a word that never came before. */
function endless(seed: number, count: number): Sentence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const numbers = Array.from({ length: 1 + random.below(4) }, () => random.below(8));
    const tokens = [...numbers.map(word => `w${word}`), `new${i}`];
    return sentenceOf(tokens, { tags: [...numbers.map(word => `L${word % 3}`), 'L0'] });
  });
}

const learning = (model: Model, learner: Learner, options = {}) =>
  [
    featurize(model),
    batch({ sentences: 1, ...options }),
    contribute(learner),
    optimize(learner),
  ] as const;

const indexes = (model: Model) => [model.stateIndex, model.edgeIndex] as ExactIndex[];

for (const { rows, tags } of everyNth(3, optimizers)) {
  describe.each(rows)('%s', { tags }, (...row) => {
    it('keeps to the limit, and what comes often', async () => {
      const model = modelOf();
      const learner = learnerOf(model, row);
      const known: number[] = [];
      learner.onEvicted = () => known.push(...indexes(model).map(({ entries }) => entries));
      const sizes: number[][] = [];
      for (let part = 0; part < 3; part += 1) {
        await lastValueFrom(from(endless(part, 300)).pipe(...learning(model, learner)));
        sizes.push(indexes(model).map(({ size, capacity }) => size + capacity));
      }
      // Edge features are fewer: they share the bytes, and a sentence brings half as many.
      expect(known.length).toBeGreaterThan(20);
      for (const index of indexes(model)) expect(index.entries).toBeLessThanOrEqual(120);
      expect(sizes[2]).toEqual(sizes[1]);
      const frequent = model.encodeKnown(sentenceOf([...'01234567'].map(word => `w${word}`)));
      expect(frequent.stateRows.length).toBeGreaterThanOrEqual(8);
    });

    it('leaves nothing of a feature that went, in any plane or voter', async () => {
      const model = modelOf();
      const learner = learnerOf(model, row);
      let evicted = 0;
      learner.onEvicted = count => {
        evicted += count;
        const { parameters, stateIndex } = model;
        const { width, planes } = parameters;
        const fingerprints = (stateIndex as ExactIndex).fingerprints();
        for (let feature = 0; feature < stateIndex.size; feature += 1) {
          if (fingerprints[2 * feature] !== 0 || fingerprints[2 * feature + 1] !== 0) continue;
          const numbers = planes.flatMap(({ state }) => [
            ...state.view.subarray(feature * width, (feature + 1) * width),
          ]);
          const { voters } = learner.deployedParameters();
          for (let voter = 0; voter < (voters?.votes.length ?? 0); voter += 1) {
            const { view } = voters!.at(voter).weights.state;
            numbers.push(...view.subarray(feature * width, (feature + 1) * width));
          }
          expect(numbers.every(number => number === 0)).toBe(true);
        }
      };
      await lastValueFrom(from(endless(1, 150)).pipe(...learning(model, learner)));
      expect(evicted).toBeGreaterThan(50);
    });

    for (const { rows, tags } of everyNth(2, [
      [{ sentences: 1 }, 1],
      [{ sentences: 4 }, 1],
      [{ tokens: 7 }, 1],
      [{ sentences: 1 }, 2],
    ])) {
      it.each(rows)(
        'resumes from any checkpoint to the same bytes: %j, cutoff %i',
        { tags },
        async (size, cutoff) => {
          const stream = endless(6, 160);
          const run = async (resumed?: CheckpointParts) => {
            const model =
              resumed === undefined
                ? modelOf({}, cutoff)
                : restoreModelState(resumed.model!, kernel, limit);
            const learner = learnerOf(model, row);
            if (resumed !== undefined) learner.restore(resumed.learner!);
            const store = new MemoryCheckpointStore();
            const parts = () =>
              structuredClone({ model: saveModelState(model), learner: learner.save() });
            let evictions = 0;
            learner.onEvicted = () => {
              evictions += 1;
            };
            const steps = from(stream.slice(learner.sentencesSeen)).pipe(
              ...learning(model, learner, size),
              checkpoint(store, parts, { sentences: 7 }),
            );
            await lastValueFrom(steps);
            return {
              bytes: digest(writeModel(learner)),
              generations: store.generations,
              evictions,
            };
          };
          const whole = await run();
          expect(whole.evictions).toBeGreaterThan(1);
          const count = whole.generations.length;
          for (const share of [0.2, 0.5, 0.9]) {
            expect((await run(whole.generations[Math.floor(share * count)])).bytes).toBe(
              whole.bytes,
            );
          }
        },
      );
    }
  });
}

describe('a limit', () => {
  const row = optimizers[0];

  it('changes nothing below it', async () => {
    const bytes = [];
    for (const model of [modelOf({ features: 1e6 }), new Model(modelOf().spec, { kernel })]) {
      const learner = learnerOf(model, row);
      await lastValueFrom(from(endless(2, 200)).pipe(...learning(model, learner)));
      bytes.push(digest(writeModel(learner)));
    }
    expect(bytes[1]).toBe(bytes[0]);
  });

  it('of bytes counts planes and labels', { tags: 'slow' }, async () => {
    const sizes = [];
    for (const bytes of [2 ** 16, 2 ** 17]) {
      const model = modelOf({ features: 1e6, bytes });
      const learner = learnerOf(model, row);
      await lastValueFrom(from(endless(3, 1500)).pipe(...learning(model, learner)));
      sizes.push(indexes(model).map(({ size }) => size));
    }
    // 96 bytes for a feature of tokens, 192 for one of transitions, from half of the bytes each.
    expect(sizes[0]![0]).toBeGreaterThan(300);
    expect(sizes[0]![0]).toBeLessThan(360);
    expect(sizes[1]![1]).toBeGreaterThan(300);
    expect(sizes[1]![1]).toBeLessThan(360);
  });

  it('takes no new label for which there is no room, and continues with those that it knows', async () => {
    const model = modelOf({ features: 50, bytes: 2 ** 14 });
    const learner = learnerOf(model, row);
    let rejected = 0;
    for (let i = 0; i < 300; i += 1) {
      const sentence = sentenceOf([`w${i % 40}`], { tags: [i % 2 === 0 ? `L${i}` : 'L0'] });
      try {
        model.encode(sentence);
      } catch (error) {
        expect(error).toMatchObject({ code: 'too-large' });
        rejected += 1;
        continue;
      }
      await lastValueFrom(from([sentence]).pipe(...learning(model, learner)));
    }
    expect(rejected).toBeGreaterThan(100);
    expect(model.labels.size).toBe(model.parameters.labelCapacity);
    expect(learner.sentencesSeen).toBe(300 - rejected);
  });

  it('is kept to by minibatches that bring more than all of it', async () => {
    const model = modelOf();
    const learner = learnerOf(model, row);
    const steps = from(endless(4, 1000)).pipe(...learning(model, learner, { sentences: 500 }));
    await lastValueFrom(steps);
    for (const index of indexes(model)) expect(index.size).toBeLessThanOrEqual(240);
  });
});
