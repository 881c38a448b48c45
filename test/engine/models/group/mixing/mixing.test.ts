import { describe, expect, it } from 'vitest';
import type { Reals } from '../../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../../src/engine/core/random.js';
import { SimdKernel } from '../../../../../src/engine/kernels/simd/simd-kernel.js';
import { jointLoss } from '../../../../../src/engine/losses/joint-loss.js';
import { perceptronLoss } from '../../../../../src/engine/losses/perceptron-loss.js';
import { MixingLearner } from '../../../../../src/engine/models/group/mixing/mixing-learner.js';
import { createOnlineLearner } from '../../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../../src/engine/models/learning/settle-corpus.js';
import { perceptron } from '../../../../../src/engine/optimizers/perceptron.js';
import { everyNth } from '../../../../house/long-forms.js';
import { smallCorpus } from '../../../optimizers/small-corpus.js';
import { hmmLearner } from '../../examples/hmm-corpus.js';
import { modelWith } from '../../examples/model-with.js';
import { ways as allWays, trainTogether, type Way } from '../train-together.js';
import { mixTogether, small, templates } from './mix-together.js';

const float32 = new SimdKernel('float32');
const float64 = new SimdKernel('float64');
const ways = allWays.filter(({ optimizer }) => optimizer !== 'voted-perceptron');

for (const { rows, tags } of everyNth(5, ways)) {
  describe.each(rows)('$optimizer, $variant', { tags }, way => {
    it('gives the same bytes for 1, 2 and 4 who make the passes', async () => {
      const [one, two, four] = await Promise.all(
        [1, 2, 4].map(workers =>
          mixTogether(way, { kernel: float32, shards: 5, workers, sentences: 2 }),
        ),
      );
      expect(two!.losses).toEqual(one!.losses);
      expect([two!.bytes, four!.bytes]).toEqual([one!.bytes, one!.bytes]);
    });

    it('resumes from a checkpoint as if it had never stopped', async () => {
      const whole = await mixTogether(way, { kernel: float64, shards: 3 });
      const begun = await mixTogether(way, { kernel: float64, shards: 3, epochs: 2 });
      const resumed = begun.store.readNewest();
      const rest = await mixTogether(way, { kernel: float64, shards: 3, resumed: resumed! });
      expect(rest.bytes).toBe(whole.bytes);
    });

    it('learns', async () => {
      const { losses } = await mixTogether(way, { kernel: float32, shards: 2, epochs: 6 });
      expect(losses.at(-1)).toBeLessThan(losses[0]!);
    });
  });
}

it('goes over shards that come later, when the memory has grown, as over the first', {
  tags: 'slow',
}, async () => {
  const corpus = smallCorpus(new Random(85), 4000, { labels: 9, words: 900, longest: 30 });
  const way = { optimizer: 'perceptron', variant: '' };
  const given = { kernel: float32, shards: 4, epochs: 2, corpus };
  const [one, four] = [
    await mixTogether(way, given),
    await mixTogether(way, { ...given, workers: 4 }),
  ];
  expect(one.bytes).toBe(four.bytes);
  expect(one.losses).toEqual(four.losses);
});

/** Where nothing is averaged, and penalties are not those of a scale or account that a pass ends. */
const exact: readonly Way[] = [
  { optimizer: 'perceptron', variant: 'plain', options: { average: false } },
  { optimizer: 'passive-aggressive', variant: 'plain', options: { average: false } },
  { optimizer: 'arow', variant: 'plain' },
  { optimizer: 'sgd', variant: 'without a penalty', options: { l2: 0 } },
  { optimizer: 'sgd-l1', variant: 'clipping', options: { penalty: 'clipping' } },
  { optimizer: 'adagrad', variant: 'without a penalty', options: { l2: 0 } },
];

for (const { rows, tags } of everyNth(2, exact)) {
  it.each(rows)(
    'with one shard makes the steps of a learner: $optimizer, $variant',
    { tags },
    async way => {
      const alone = await trainTogether(way, { kernel: float32, sentences: 4 });
      const mixed = await mixTogether(way, { kernel: float32, shards: 1, sentences: 4 });
      expect(mixed.bytes).toBe(alone.bytes);
    },
  );
}

/** Mixing as the paper has it, by learners that know nothing of it and plain sums over dense arrays. */
function reference(shards: number, epochs: number): { last: number[]; average: number[] } {
  let mixed: number[] | undefined;
  let sum: number[] = [];
  let count = 0;
  for (let pass = 0; pass < epochs; pass += 1) {
    const next: number[][] = [];
    for (let shard = 0; shard < shards; shard += 1) {
      const model = modelWith(float64, { templates, columns: ['form', 'n'] });
      const corpus = settleCorpus(
        model,
        small.map(sentence => model.encode(sentence)),
      );
      model.reserve();
      const learner = createOnlineLearner(model, { loss: perceptronLoss, optimizer: perceptron });
      const numbers = (): Reals[] => [
        model.parameters.weights.state.view,
        model.parameters.weights.edges.view,
      ];
      if (mixed !== undefined) {
        let at = 0;
        for (const table of numbers())
          for (let i = 0; i < table.length; i += 1, at += 1) table[i] = mixed[at]!;
      }
      const part = corpus.filter((_, i) => i % shards === shard);
      for (const sentence of part) {
        learner.apply(learner.contribute(packMinibatch([sentence])));
        const now = numbers().flatMap(table => [...table]);
        sum = now.map((weight, i) => weight + (sum[i] ?? 0));
        count += 1;
      }
      next.push(
        numbers().flatMap(table => [...table].map(weight => (weight * part.length) / small.length)),
      );
    }
    mixed = next[0]!.map((_, i) => next.reduce((total, weights) => total + weights[i]!, 0));
  }
  return { last: mixed!, average: sum.map(total => total / count) };
}

it('is the weighted mean of what learners of the shards come to, and the average that of all their weights', async () => {
  const expected = reference(3, 3);
  const given = { kernel: float64, shards: 3, shuffle: false };
  const { model, learner } = await mixTogether({ optimizer: 'perceptron', variant: '' }, given);
  const { weights } = model.parameters;
  const last = [...weights.state.view, ...weights.edges.view];
  const deployed = learner.deployedParameters().weights;
  expect(largest(last, expected.last)).toBeLessThan(1e-12);
  const stateLength = Math.min(deployed.state.view.length, weights.state.view.length);
  const average = [...deployed.state.view.subarray(0, stateLength)];
  expect(largest(average, expected.average.slice(0, stateLength))).toBeLessThan(1e-6);
});

function largest(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));
}

it('refuses what has no weights to mix', async () => {
  const voted = mixTogether(
    { optimizer: 'voted-perceptron', variant: '' },
    { kernel: float32, shards: 2 },
  );
  await expect(voted).rejects.toMatchObject({ code: 'config' });
  const separated = mixTogether(
    { optimizer: 'perceptron', variant: '', options: { untilSeparated: true } },
    { kernel: float32, shards: 2 },
  );
  await expect(separated).rejects.toMatchObject({ fix: 'leave out untilSeparated' });
  const given = { loss: jointLoss, optimizer: 'counts', options: {}, shards: 2 };
  expect(() => new MixingLearner(hmmLearner().model, given)).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
  const many = mixTogether({ optimizer: 'sgd', variant: '' }, { kernel: float32, shards: 99 });
  await expect(many).rejects.toMatchObject({ fix: 'use fewer shards' });
});
