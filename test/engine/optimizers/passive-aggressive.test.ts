import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import {
  type PassiveAggressiveOptions,
  passiveAggressive,
} from '../../../src/engine/optimizers/passive-aggressive.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../features/sentence-of.js';
import { naivePassiveAggressive } from './naive-optimizers.js';
import { edgeName, stateName } from './naive-trainer.js';
import { type Contest, SideBySide, weightOf } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

type Options = PassiveAggressiveOptions;
const variants = ['pa', 'pa-1', 'pa-2'] as const;

describe.each(kernelRows)('passive-aggressive with the $name kernel', ({ kernel, rounding }) => {
  const digits = 100 * rounding;

  function contest(options: Partial<Options>, rest: Partial<Contest<Options>> = {}) {
    const naive = naivePassiveAggressive;
    return new SideBySide<Options>({
      ...{ kernel, optimizer: passiveAggressive, options, naive, corpusSize: 40, ...rest },
    });
  }

  const repeated = { templates: 'U0:%x[0,0]\nB' };

  it.each<[Options['variant'], number, number]>([
    // a a a is X X X at weights of 0 and Y Y Y by hand: |d|^2 = 2 * 3^2 + 2 * 2^2 = 26, 3 tokens wrong.
    ['pa', 1, 3 / 26],
    ['pa-1', 1, 3 / 26],
    ['pa-1', 0.1, 0.1],
    ['pa-2', 0.1, 3 / (26 + 5)],
  ])(
    'makes the step of %s at an aggressiveness of %d, features counted as often as they are met',
    (variant, aggressiveness, step) => {
      const pair = contest({ variant, aggressiveness }, { spec: repeated });
      pair.encode(sentenceOf(['b', 'b'], { tags: ['X', 'Y'] }));
      pair.learn([pair.encode(sentenceOf(['a', 'a', 'a'], { tags: ['Y', 'Y', 'Y'] }))]);
      const { parameters } = pair.model;
      const places = kernel.precision === 'float64' ? 12 : 6;
      const at = (name: string) => weightOf(parameters, name);
      expect(at(stateName(1, 1))).toBeCloseTo(3 * step, places);
      expect(at(stateName(1, 0))).toBeCloseTo(-3 * step, places);
      expect(at(edgeName(0, 1, 1))).toBeCloseTo(2 * step, places);
      expect(at(edgeName(0, 0, 0))).toBeCloseTo(-2 * step, places);
      expect(at(edgeName(0, 0, 1))).toBe(0);
    },
  );

  it('gives, by PA, the gold labels a margin of the wrong tokens over what was best', () => {
    const pair = contest({ variant: 'pa', average: false });
    const corpus = smallCorpus(new Random(61), 40).map(each => pair.encode(each));
    const { learner, trainer, model } = pair;
    let updates = 0;
    for (const sentence of corpus) {
      trainer.grow();
      const { gradient, wrong } = trainer.gradientOf(sentence, 'perceptron');
      pair.learn([sentence]);
      if (wrong === 0) continue;
      updates += 1;
      let margin = 0;
      for (const [name, d] of gradient) margin -= d * weightOf(model.parameters, name);
      expect(margin).toBeCloseTo(wrong, kernel.precision === 'float64' ? 9 : 4);
    }
    expect(updates).toBeGreaterThan(10);
    expect(learner.sentencesSeen).toBe(40);
  });

  it.each(variants.flatMap(variant => [1, 8].map(batch => [variant, batch] as const)))(
    'is %s on whole vectors, its average that of all copies (batches of %i)',
    (variant, batch) => {
      const pair = contest({ variant, aggressiveness: 0.2 });
      const corpus = smallCorpus(new Random(62), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 3; pass += 1) {
        for (let i = 0; i < corpus.length; i += batch) pair.learn(corpus.slice(i, i + batch));
        expect(pair.presentDifference()).toBeLessThan(digits);
        expect(pair.deployedDifference()).toBeLessThan(digits);
      }
      expect(pair.nonZero().length).toBeGreaterThan(80);
    },
  );

  it('does so with the weights of observed pairs alone', () => {
    const pair = contest({ aggressiveness: 0.2 }, { spec: { support: 'observed' } });
    const corpus = smallCorpus(new Random(63), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 3; pass += 1) for (const sentence of corpus) pair.learn([sentence]);
    expect(pair.presentDifference()).toBeLessThan(digits);
    expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
  });

  it.each<[Options['variant'], number, number]>([
    ['pa', 0.02, 0.02],
    ['pa-1', 0.02, 0.04],
    ['pa-2', 0.02, 0.04],
  ])(
    'with %s takes a sentence of weight 2 at C %d as one of weight 1 at C %d',
    (variant, c, other) => {
      const weightsAfter = (aggressiveness: number, weight: number) => {
        const pair = contest({ variant, aggressiveness });
        for (const sentence of smallCorpus(new Random(64), 30)) {
          const encoded = pair.encode({ ...sentence, weight });
          pair.learner.apply(pair.learner.contribute(packMinibatch([encoded])));
        }
        return pair.model.parameters.weights.state.view.slice();
      };
      const twice = weightsAfter(c, 2);
      for (const [i, weight] of weightsAfter(other, 1).entries()) {
        expect(twice[i]).toBeCloseTo(weight, kernel.precision === 'float64' ? 10 : 4);
      }
      expect(twice.some(weight => weight !== 0)).toBe(true);
    },
  );

  it('has the greatest step for its step size, and refuses what makes no sense', () => {
    expect(contest({ aggressiveness: 0.3 }).learner.optimizer.stepSize).toBe(0.3);
    expect(contest({ variant: 'pa', aggressiveness: 0.3 }).learner.optimizer.stepSize).toBe(1);
    for (const options of [{ aggressiveness: 0 }, { variant: 'pa-3' }, { eta0: 1 }]) {
      expect(passiveAggressive.options.safeParse(options).success).toBe(false);
    }
  });
});
