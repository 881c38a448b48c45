import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { type ArowOptions, arow } from '../../../src/engine/optimizers/arow.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../features/sentence-of.js';
import { naiveArow } from './naive-optimizers.js';
import { stateName } from './naive-trainer.js';
import { type Contest, SideBySide, weightOf } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

describe.each(kernelRows)('arow with the $name kernel', ({ kernel, rounding }) => {
  const digits = 100 * rounding;

  function contest(options: Partial<ArowOptions>, rest: Partial<Contest<ArowOptions>> = {}) {
    return new SideBySide<ArowOptions>({
      ...{ kernel, optimizer: arow, options, naive: naiveArow, corpusSize: 40, ...rest },
    });
  }

  it('makes smaller steps for what it has met more often', () => {
    const pair = contest({ r: 2 }, { spec: { templates: 'U0:%x[0,0]' } });
    pair.encode(sentenceOf(['b'], { tags: ['X'] }));
    const sentence = pair.encode(sentenceOf(['a', 'a'], { tags: ['Y', 'Y'] }));
    pair.learn([sentence]);
    const { parameters } = pair.model;
    const places = kernel.precision === 'float64' ? 12 : 6;
    // d = (2, -2), v = 8, 2 tokens wrong: w = 2 / (8 + 2) * 2 = 0.4; 1 / sigma = 1 + 4 / 2 = 3.
    expect(weightOf(parameters, stateName(1, 1))).toBeCloseTo(0.4, places);
    const other = pair.encode(sentenceOf(['a'], { tags: ['X'] }));
    pair.learn([other]);
    // d = (-1, 1), w.d = 0.8, l = 1.8, v = 2 / 3: w = 0.4 - 1.8 / (2 / 3 + 2) / 3 = 0.175.
    expect(weightOf(parameters, stateName(1, 1))).toBeCloseTo(0.175, places);
  });

  it.each([
    [1, 1],
    [0.1, 1],
    [10, 8],
  ])('is AROW on whole vectors (r = %d, batches of %i)', (r, batch) => {
    const pair = contest({ r });
    const corpus = smallCorpus(new Random(71), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 3; pass += 1) {
      for (let i = 0; i < corpus.length; i += batch) pair.learn(corpus.slice(i, i + batch));
      expect(pair.presentDifference()).toBeLessThan(digits);
      expect(pair.deployedDifference()).toBeLessThan(digits);
    }
    expect(pair.nonZero().length).toBeGreaterThan(80);
  });

  it('does so with the weights of observed pairs alone', () => {
    const pair = contest({}, { spec: { support: 'observed' } });
    const corpus = smallCorpus(new Random(72), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 3; pass += 1) for (const sentence of corpus) pair.learn([sentence]);
    expect(pair.presentDifference()).toBeLessThan(digits);
    expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
  });

  it('takes a sentence of weight 2 as one of weight 1 with half the r', () => {
    const weightsAfter = (r: number, weight: number) => {
      const pair = contest({ r });
      for (const sentence of smallCorpus(new Random(73), 30)) {
        const encoded = pair.encode({ ...sentence, weight });
        pair.learner.apply(pair.learner.contribute(packMinibatch([encoded])));
      }
      return pair.model.parameters.weights.state.view.slice();
    };
    const twice = weightsAfter(2, 2);
    for (const [i, weight] of weightsAfter(1, 1).entries()) {
      expect(twice[i]).toBeCloseTo(weight, kernel.precision === 'float64' ? 10 : 4);
    }
    expect(twice.some(weight => weight !== 0)).toBe(true);
  });

  it.each([{ r: 0 }, { r: -1 }, { average: true }])('refuses the options %j', options => {
    expect(arow.options.safeParse(options).success).toBe(false);
  });
});
