import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { everyNth } from '../../../house/long-forms.js';
import { partlyLabelled } from '../../optimizers/partly-labelled.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { ways as allWays, trainTogether } from './train-together.js';

// The others are for threads that go in order.
const hogwild = new Set(optimizers.filter(each => each.hogwild === true).map(({ name }) => name));
const ways = allWays.filter(({ optimizer }) => hogwild.has(optimizer));
const ordered = [...new Set(allWays.map(({ optimizer }) => optimizer))].filter(
  name => !hogwild.has(name),
);
const kernel = new SimdKernel('float32');
const corpus = smallCorpus(new Random(91), 300, { labels: 5, words: 40, longest: 9 });

// In the short form every third one.
const someWays = process.env.TAGSTREAM_FULL === '1' ? ways : ways.filter((_, i) => i % 3 === 0);

describe.each(someWays)('$optimizer, $variant', way => {
  it('comes to about the loss of steps of one sentence in one thread', async () => {
    const given = { kernel, corpus, epochs: 6 };
    const alone = await trainTogether(way, { ...given, sentences: 1 });
    const together = await trainTogether(way, {
      ...{ ...given, sentences: 100, workers: 2, mode: 'hogwild' as const },
    });
    const before = together.losses[2]!;
    const last = together.losses.at(-1)!;
    const expected = alone.losses.at(-1)!;
    expect(together.losses).toHaveLength(18);
    expect(last).toBeLessThan(before);
    expect(Math.abs(last - expected)).toBeLessThan(0.15 * expected + 0.01);
  });
});

it('is a run of single steps, to the bit, with one worker', { tags: 'slow' }, async () => {
  for (const way of ways) {
    const alone = await trainTogether(way, { kernel, sentences: 1 });
    const together = await trainTogether(way, {
      ...{ kernel, sentences: 100, workers: 1, mode: 'hogwild' as const },
    });
    expect(together.bytes).toBe(alone.bytes);
    // Threads of hogwild do not tell each other of mistakes.
    expect(together.margins).toEqual([]);
    if (/perceptron|passive/.test(way.optimizer)) expect(alone.margins).toHaveLength(3);
  }
});

it('learns from sentences labelled in part and by weight, to the bit with one worker', {
  tags: 'slow',
}, async () => {
  const partial = partlyLabelled(new Random(92), corpus.slice(0, 60));
  const given = { kernel, corpus: partial };
  for (const way of [ways[0]!, ways[8]!]) {
    const alone = await trainTogether(way, { ...given, sentences: 1 });
    const hogwild = { ...given, sentences: 100, mode: 'hogwild' as const };
    const together = await trainTogether(way, { ...hogwild, workers: 1 });
    expect(together.bytes).toBe(alone.bytes);
    const two = await trainTogether(way, { ...hogwild, workers: 2 });
    expect(two.losses.every(Number.isFinite)).toBe(true);
    expect(two.losses.at(-1)!).toBeLessThan(two.losses[0]!);
  }
});

it('predicts each sentence before it learns from it', async () => {
  const way = ways[0]!;
  const together = await trainTogether(way, {
    ...{ kernel, sentences: 8, workers: 2, mode: 'hogwild' as const, predict: true },
  });
  // Two labels a sentence at least, and a score of each sentence.
  for (const line of together.predicted) expect(line).toMatch(/^[0-4](,[0-4])* -?\d/);
});

for (const { rows, tags } of everyNth(5, ordered)) {
  it.each(rows)(
    'refuses %s, which has to know what became of all weights',
    { tags },
    async name => {
      const way = allWays.find(({ optimizer }) => optimizer === name)!;
      const given = { kernel, sentences: 8, workers: 2 };
      await expect(trainTogether(way, { ...given, mode: 'hogwild' })).rejects.toThrow(
        `the optimizer ${name} cannot be combined with mode: hogwild`,
      );
    },
  );
}
