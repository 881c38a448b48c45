import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { arow } from '../../../src/engine/optimizers/arow.js';
import type { OptimizerComponent } from '../../../src/engine/optimizers/optimizer.js';
import { passiveAggressive } from '../../../src/engine/optimizers/passive-aggressive.js';
import { perceptron } from '../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import {
  type NaiveOptimizer,
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

    it('is so where single pairs are observed', { tags: 'slow' }, () => {
      const pair = contest({ support: 'observed' });
      const corpus = smallCorpus(new Random(6), 30).map(each => pair.encode(each));
      for (const sentence of corpus) pair.learn([sentence]);
      expect(pair.deployedDifference()).toBeLessThan(20 * rounding);
      expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
    });
  });
});
