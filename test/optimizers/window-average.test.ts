import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import type { AdagradOptions } from '../../src/optimizers/adagrad.js';
import { adagrad, CompositePenalty } from '../../src/optimizers/adagrad.js';
import { arow } from '../../src/optimizers/arow.js';
import type { OptimizerComponent } from '../../src/optimizers/optimizer.js';
import { passiveAggressive } from '../../src/optimizers/passive-aggressive.js';
import { perceptron } from '../../src/optimizers/perceptron.js';
import { sgd } from '../../src/optimizers/sgd.js';
import { kernelRows } from '../contracts/oracle/kernels/kernels.js';
import {
  type NaiveOptimizer,
  naiveAdagrad,
  naiveArow,
  naivePassiveAggressive,
  naivePerceptron,
  naiveSgd,
} from './naive-optimizers.js';
import { SideBySide } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

interface Row {
  readonly name: string;
  readonly optimizer: OptimizerComponent<never>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly naive: (options: never, corpusSize: number) => NaiveOptimizer;
}

const average = { window: 5 };
const rows: readonly Row[] = [
  { name: 'sgd', optimizer: sgd, options: {}, naive: naiveSgd },
  {
    name: 'sgd of a scale that is multiplied in',
    optimizer: sgd,
    options: { eta0: 0.4, l2: 12, schedule: 'constant' },
    naive: naiveSgd,
  },
  { name: 'perceptron', optimizer: perceptron, options: {}, naive: naivePerceptron },
  {
    name: 'passive-aggressive',
    optimizer: passiveAggressive,
    options: {},
    naive: naivePassiveAggressive,
  },
  { name: 'arow', optimizer: arow, options: {}, naive: naiveArow },
  { name: 'adagrad', optimizer: adagrad, options: {}, naive: naiveAdagrad },
  {
    name: 'adagrad without penalties',
    optimizer: adagrad,
    options: { l2: 0 },
    naive: naiveAdagrad,
  },
  {
    name: 'adagrad with L1',
    optimizer: adagrad,
    options: { l1: 0.5, l2: 0 },
    naive: naiveAdagrad,
  },
  {
    name: 'adagrad with L1 and L2',
    optimizer: adagrad,
    options: { l1: 0.5, l2: 2 },
    naive: naiveAdagrad,
  },
] as readonly unknown[] as readonly Row[];

describe.each(kernelRows)('with the $name kernel', ({ kernel, rounding }) => {
  describe.each(rows)('the average of $name over a window', ({ optimizer, options, naive }) => {
    const contest = (spec?: object) =>
      new SideBySide({
        ...{ kernel, optimizer, naive, corpusSize: 20 },
        options: { ...options, average } as never,
        ...(spec && { spec }),
      });

    it.each([1, 3])('is that of dense copies of the weights, in minibatches of %i', batch => {
      const pair = contest();
      const corpus = smallCorpus(new Random(5), 60).map(each => () => pair.encode(each));
      for (let i = 0; i < corpus.length; i += batch) {
        pair.learn(corpus.slice(i, i + batch).map(encode => encode()));
        expect(pair.deployedDifference()).toBeLessThan(20 * rounding);
      }
      expect(pair.nonZero().length).toBeGreaterThan(50);
    });

    it('is so where single pairs are observed', () => {
      const pair = contest({ support: 'observed' });
      const corpus = smallCorpus(new Random(6), 30).map(each => pair.encode(each));
      for (const sentence of corpus) pair.learn([sentence]);
      expect(pair.deployedDifference()).toBeLessThan(20 * rounding);
      expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
    });
  });
});

describe('CompositePenalty.mean', () => {
  const options: readonly Pick<AdagradOptions, 'eta0' | 'delta' | 'l1' | 'l2'>[] = [
    { eta0: 0.3, delta: 0.1, l1: 0, l2: 0 },
    { eta0: 0.3, delta: 0.1, l1: 0, l2: 0.5 },
    { eta0: 0.3, delta: 0.1, l1: 0.4, l2: 0 },
    { eta0: 0.3, delta: 0.1, l1: 0.4, l2: 0.5 },
  ];

  it.each(options)('is the mean of weights that are charged one by one: %o', chosen => {
    const penalty = new CompositePenalty(chosen, 10);
    for (const weight of [0.8, -0.3, 0.02, 0]) {
      for (const first of [0, 1]) {
        for (const count of [1, 2, 9, 60]) {
          for (const decay of [0.5, 0.97]) {
            let [sum, all, w] = [0, 0, first === 0 ? weight : penalty.charged(weight, 0.2, 1)];
            for (let j = 0; j < count; j += 1) {
              sum = decay * sum + w;
              all = decay * all + 1;
              w = penalty.charged(w, 0.2, 1);
            }
            expect(penalty.mean(weight, 0.2, first, count, decay)).toBeCloseTo(sum / all, 12);
          }
        }
      }
    }
  });

  it('is so where weights shrink as fast as they are forgotten', () => {
    const penalty = new CompositePenalty({ eta0: 0.5, delta: 1, l1: 0, l2: 1 }, 1);
    // h = 2 and r2 = 1.
    const means = [1, 2, 3].map(count => penalty.mean(1, 1, 0, count, 2 / 3));
    expect(means[0]).toBeCloseTo(1, 12);
    expect(means[1]).toBeCloseTo((2 / 3 + 2 / 3) / (1 + 2 / 3), 12);
    expect(means[2]).toBeCloseTo((3 * (4 / 9)) / (1 + 2 / 3 + 4 / 9), 12);
  });
});
