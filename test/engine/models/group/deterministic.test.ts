import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { ParallelLearner } from '../../../../src/engine/models/group/parallel-learner.js';
import type { WorkerGroup } from '../../../../src/engine/models/group/worker-group.js';
import { everyNth } from '../../../house/long-forms.js';
import { partlyLabelled } from '../../optimizers/partly-labelled.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { hmmLearner } from '../examples/hmm-corpus.js';
import { trainTogether, ways } from './train-together.js';

const corpus = smallCorpus(new Random(82), 23, { labels: 5, words: 20, longest: 5 });
const partial = partlyLabelled(new Random(83), corpus);
const weighted = corpus.map((sentence, i) => ({ ...sentence, weight: (i % 3) / 2 }));
const full = process.env.TAGSTREAM_FULL === '1';
const float32 = new SimdKernel('float32');
const float64 = new SimdKernel('float64');

it('is refused to what one thread counts', { tags: 'slow' }, () => {
  const given = {
    loss: jointLoss,
    optimizer: 'counts',
    options: {},
    mode: 'deterministic',
  } as const;
  expect(
    () => new ParallelLearner(hmmLearner().model, { ...given, group: {} as WorkerGroup }),
  ).toThrow(
    expect.objectContaining({
      code: 'config',
      problem: 'training by several threads needs workers, which the scorer hmm does not have',
    }),
  );
});

it.each(['deterministic', 'hogwild'] as const)(
  'is refused to what asks for contributions of its own, %s',
  { tags: 'slow' },
  async mode => {
    const way = { optimizer: 'smd', variant: 'by default' };
    await expect(
      trainTogether(way, { kernel: float64, sentences: 2, workers: 2, mode }),
    ).rejects.toMatchObject({
      code: 'config',
      problem: expect.stringContaining('the optimizer smd'),
      fix: 'use workers: 1',
    });
  },
);

type Size = readonly [sentences: number, workers: number];

/** Sentences of a minibatch, and workers, for one way after the other; in the long form each has all of them. */
const someSizes: readonly Size[] = [
  [1, 3],
  [4, 1],
  [16, 2],
];
const allSizes = [1, 4, 16].flatMap(sentences =>
  [1, 2, 3].map(workers => [sentences, workers] as const),
);
const sizesOf = (way: (typeof ways)[number]): readonly Size[] =>
  full ? allSizes : [someSizes[ways.indexOf(way) % someSizes.length]!];

describe.each(ways)('$optimizer, $variant', way => {
  it.each(sizesOf(way))(
    'gives the same bytes as with one thread, minibatches of %i, workers %i',
    { tags: 'slow' },
    async (...size) => {
      const [sentences, workers] = size;
      const alone = await trainTogether(way, { kernel: float32, sentences });
      const together = await trainTogether(way, { kernel: float32, sentences, workers });
      expect(together.losses).toEqual(alone.losses);
      expect(together.margins).toEqual(alone.margins);
      expect(together.bytes).toBe(alone.bytes);
    },
  );

  it.runIf(full || ways.indexOf(way) % 4 === 0)(
    'resumes with another number of workers',
    { tags: 'slow' },
    async () => {
      const given = { kernel: float32, sentences: 4 };
      const alone = await trainTogether(way, given);
      const two = await trainTogether(way, { ...given, workers: 2 });
      const [first, second] = two.store.generations;
      const three = await trainTogether(way, { ...given, workers: 3, resumed: first! });
      const one = await trainTogether(way, { ...given, resumed: second! });
      expect(two.losses).toEqual(alone.losses);
      expect(two.bytes).toBe(alone.bytes);
      expect(three.bytes).toBe(alone.bytes);
      expect(one.bytes).toBe(alone.bytes);
      expect(three.losses).toEqual(alone.losses.slice(-three.losses.length));
      expect(three.margins).toEqual(alone.margins.slice(1));
    },
  );
});

// Precision, and what is labelled only in part, change the gradients, which all optimizers take alike.
const someWays = full ? ways : ways.filter((_, i) => i % 6 === 0);

for (const { rows, tags } of everyNth(8, someWays)) {
  describe.each(rows)('$optimizer, $variant, in float64', { tags }, way => {
    it('gives the same bytes as with one thread', async () => {
      const alone = await trainTogether(way, { kernel: float64, sentences: 5 });
      const together = await trainTogether(way, { kernel: float64, sentences: 5, workers: 2 });
      expect(together.losses).toEqual(alone.losses);
      expect(together.bytes).toBe(alone.bytes);
    });
  });
}

for (const { rows, tags } of everyNth(8, someWays)) {
  describe.each(rows)(
    '$optimizer, $variant, sentences labelled in part and weighted',
    { tags },
    way => {
      it('gives the same bytes as with one thread', async () => {
        const given = { kernel: float32, sentences: 4, corpus: partial };
        const alone = await trainTogether(way, given);
        const together = await trainTogether(way, { ...given, workers: 2 });
        expect(together.losses).toEqual(alone.losses);
        expect(together.bytes).toBe(alone.bytes);
        const [first] = alone.store.generations;
        const resumed = await trainTogether(way, { ...given, workers: 2, resumed: first! });
        expect(resumed.bytes).toBe(alone.bytes);
      });
    },
  );
}

const manyLabels = smallCorpus(new Random(84), 30, { labels: 40, words: 40, longest: 6 });
const listedWays = ways.filter(({ variant }) =>
  ['plain', 'averaged', 'with L1 and L2'].includes(variant),
);

// With 40 labels and few pairs seen, transitions are listed.
for (const { rows, tags } of everyNth(8, listedWays)) {
  describe.each(rows)('$optimizer, over listed pairs', { tags }, way => {
    it('gives the same bytes as with one thread, and after resuming', async () => {
      const listed = { ...way, spec: { ...way.spec, support: 'observed' as const } };
      const given = { kernel: float32, sentences: 4, corpus: manyLabels };
      const alone = await trainTogether(listed, given);
      const together = await trainTogether(listed, { ...given, workers: 3 });
      expect(together.losses).toEqual(alone.losses);
      expect(together.bytes).toBe(alone.bytes);
      const [first] = alone.store.generations;
      const resumed = await trainTogether(listed, { ...given, workers: 2, resumed: first! });
      expect(resumed.bytes).toBe(alone.bytes);
      const once = await trainTogether(listed, { ...given, resumed: first! });
      expect(once.bytes).toBe(alone.bytes);
    });
  });
}

it('learns something else from sentences labelled in part', { tags: 'slow' }, async () => {
  const given = { kernel: float32, sentences: 4 };
  const bytes = await Promise.all(
    [corpus, partial, weighted].map(async each => {
      const trained = await trainTogether(ways[0]!, { ...given, corpus: each });
      return trained.bytes;
    }),
  );
  expect(new Set(bytes).size).toBe(3);
});

it('gives the same bytes with weights of 1 as without', { tags: 'slow' }, async () => {
  const given = { kernel: float32, sentences: 4 };
  const alone = await trainTogether(ways[0]!, { ...given, corpus });
  const one = corpus.map(sentence => ({ ...sentence, weight: 1 }));
  expect((await trainTogether(ways[0]!, { ...given, corpus: one })).bytes).toBe(alone.bytes);
});

it('predicts the same labels beside the gradient', { tags: 'slow' }, async () => {
  const given = { kernel: float32, sentences: 4, predict: true };
  const alone = await trainTogether(ways[0]!, given);
  const together = await trainTogether(ways[0]!, { ...given, workers: 2 });
  expect(alone.predicted[7]).toMatch(/\d,\d/);
  expect(together.predicted).toEqual(alone.predicted);
});
