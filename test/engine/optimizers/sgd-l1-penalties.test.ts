import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { PenaltyHistory } from '../../../src/engine/optimizers/l1/penalty-history.js';
import { type SgdL1Options, sgdL1 } from '../../../src/engine/optimizers/sgd-l1.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { naiveSgdL1Clipping, naiveSgdL1Naive } from './naive-optimizers.js';
import { type Contest, SideBySide } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

const schedules: [string, Partial<SgdL1Options>][] = [
  ['with its defaults', {}],
  ['with a constant step', { schedule: 'constant', eta0: 0.1, l1: 2 }],
  ['with a step that shrinks as 1 / k', { schedule: 'inverse', eta0: 0.3, l1: 0.5 }],
  ['with a heavy penalty', { l1: 5 }],
];

const doubles = kernelRows.filter(({ kernel }) => kernel.precision === 'float64');

describe.each(kernelRows)('sgd-l1 that clips, with the $name kernel,', ({ kernel, rounding }) => {
  it.each(schedules)('makes active weights smaller one by one: %s', (_, options) => {
    const pair = new SideBySide<SgdL1Options>({
      ...{ kernel, optimizer: sgdL1, naive: naiveSgdL1Clipping, corpusSize: 40 },
      options: { ...options, penalty: 'clipping' },
    });
    const corpus = smallCorpus(new Random(4), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 5; pass += 1) {
      for (let i = 0; i < 40; i += 1 + pass) pair.learn(corpus.slice(i, i + 1 + pass));
      expect(pair.presentDifference()).toBeLessThan(rounding);
      expect(pair.deployedDifference()).toBeLessThan(rounding);
    }
    const all = pair.trainer.weights.size;
    expect(pair.nonZero().length).toBeLessThan(all);
    expect(pair.nonZero().length).toBeGreaterThan(0.05 * all);
  });
});

describe.each(doubles)('sgd-l1 with naive penalties, with the $name kernel,', ({ kernel }) => {
  function contest(options: Partial<SgdL1Options>, rest: Partial<Contest<SgdL1Options>> = {}) {
    return new SideBySide<SgdL1Options>({
      ...{ kernel, optimizer: sgdL1, naive: naiveSgdL1Naive, corpusSize: 40 },
      options: { ...options, penalty: 'naive' },
      ...rest,
    });
  }

  it.each(schedules)(
    'is the subgradient step of all weights at once: %s',
    { tags: 'slow' },
    (_, options) => {
      const pair = contest(options);
      const corpus = smallCorpus(new Random(4), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 4; pass += 1) {
        for (let i = 0; i < 40; i += 1 + pass) {
          pair.learn(corpus.slice(i, i + 1 + pass));
        }
        expect(pair.deployedDifference()).toBeLessThan(1e-9);
      }
      const signs = [...pair.trainer.weights.values()].map(({ value }) => Math.sign(value));
      expect(signs.filter(sign => sign > 0).length).toBeGreaterThan(20);
      expect(signs.filter(sign => sign < 0).length).toBeGreaterThan(20);
      // Next to nothing becomes zero.
      const weights = [...pair.trainer.weights.values()];
      expect(pair.nonZero().length).toBeGreaterThan(0.75 * weights.length);
    },
  );

  it('forgets steps when they are too many, and charges all weights before', () => {
    const pair = contest({ schedule: 'constant', eta0: 0.0137, l1: 0.77 });
    const shape = { labels: 2, words: 12, longest: 1 };
    const corpus = smallCorpus(new Random(8), 40, shape).map(each => pair.encode(each));
    const half = PenaltyHistory.room / 2;
    for (let step = 0; step < 2.1 * PenaltyHistory.room; step += 1) {
      // The second half of the sentences is not seen for a long time.
      const seen = step < half || step > 3 * half ? 40 : 20;
      pair.learn([corpus[step % seen]!]);
    }
    expect(pair.deployedDifference()).toBeLessThan(1e-9);
  });

  it('charges observed pairs alone, and what is created on a stream from then on', {
    tags: 'slow',
  }, () => {
    const random = new Random(5);
    const shape = (labels: number, words: number) => ({ labels, words, longest: 3 });
    const stream = [
      ...smallCorpus(random, 30, shape(2, 4)),
      ...smallCorpus(random, 30, shape(5, 16)),
    ];
    for (const support of ['all', 'observed'] as const) {
      const pair = contest({ schedule: 'constant', eta0: 0.2, l1: 1.7 }, { spec: { support } });
      for (let i = 0; i < stream.length; i += 4) {
        pair.learn(stream.slice(i, i + 4).map(each => pair.encode(each)));
      }
      expect(pair.deployedDifference()).toBeLessThan(1e-9);
    }
  });
});
