import { describe, expect, it } from 'vitest';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { trainTogether, ways } from './train-together.js';

const kernel = new SimdKernel('float32');
const given = { kernel, sentences: 4, epochs: 2 };

// Weights that vote have no mean.
const averaged = ways.filter(({ optimizer }) => optimizer !== 'voted-perceptron');
const full = process.env.TAGSTREAM_FULL === '1';
const short = ['averaged', 'of observed pairs', 'with L1 and L2'];
const some = full ? averaged : averaged.filter(({ variant }) => short.includes(variant));

describe.each(averaged)('$optimizer, $variant, two seeds', way => {
  it('gives the mean of the weights that each of them gives', async () => {
    const first = await trainTogether(way, { ...given, seed: 3 });
    const second = await trainTogether(way, { ...given, seed: 4 });
    const { weights, losses } = await trainTogether(way, { ...given, seed: 3, seeds: 2 });
    expect(first.weights).not.toEqual(second.weights);
    const mean = first.weights.map((table, t) => {
      return table.map((weight, i) => (weight + second.weights[t]![i]!) / 2);
    });
    expect(weights).toEqual(mean);
    expect(losses).toEqual([...first.losses, ...second.losses]);
  });
});

describe.each(some)('$optimizer, $variant, two seeds', way => {
  it('resumes where the first of them ends, and in the second', { tags: 'slow' }, async () => {
    const { bytes, store } = await trainTogether(way, { ...given, seeds: 2 });
    expect(store.generations).toHaveLength(4);
    for (const resumed of store.generations.slice(1, 3)) {
      expect((await trainTogether(way, { ...given, seeds: 2, resumed })).bytes).toBe(bytes);
    }
  });

  it('gives the same bytes with two workers, and after resuming', { tags: 'slow' }, async () => {
    const alone = await trainTogether(way, { ...given, seeds: 2 });
    const together = await trainTogether(way, { ...given, seeds: 2, workers: 2 });
    expect(together.losses).toEqual(alone.losses);
    expect(together.bytes).toBe(alone.bytes);
    const [first, , third] = alone.store.generations;
    for (const resumed of [first!, third!]) {
      const after = await trainTogether(way, { ...given, seeds: 2, workers: 2, resumed });
      expect(after.bytes).toBe(alone.bytes);
    }
  });
});
