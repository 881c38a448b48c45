import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { type SgdOptions, sgd } from '../../../src/engine/optimizers/sgd.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../house/long-forms.js';
import { naiveSgd } from './naive-optimizers.js';
import { type Contest, SideBySide } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

/** Encodes a corpus and goes over it, in minibatches; what is looked at after each of them. */
function train(
  pair: SideBySide<SgdOptions>,
  { sentences, passes, batch = 1 }: { sentences: number; passes: number; batch?: number },
  look: () => void = () => {},
): void {
  const corpus = smallCorpus(new Random(3), sentences).map(each => pair.encode(each));
  for (let pass = 0; pass < passes; pass += 1) {
    for (let i = 0; i < corpus.length; i += batch) {
      pair.learn(corpus.slice(i, i + batch));
      look();
    }
  }
}

describe.each(kernelRows)('sgd with the $name kernel', ({ kernel, tolerance, rounding }) => {
  function contest(options: Partial<SgdOptions>, rest: Partial<Contest<SgdOptions>> = {}) {
    return new SideBySide<SgdOptions>({
      kernel,
      optimizer: sgd,
      options,
      naive: naiveSgd,
      corpusSize: 30,
      ...rest,
    });
  }

  for (const { rows, tags } of everyNth<[string, Partial<SgdOptions>]>(2, [
    ['with its defaults', {}],
    ['with a constant step', { schedule: 'constant', eta0: 0.2, l2: 1 }],
    ['with a shrinking step', { schedule: 'exponential', decay: 0.7, eta0: 0.3, l2: 0.1 }],
    ['without a penalty', { l2: 0 }],
  ])) {
    it.each(rows)('has the weights of plain dense SGD, %s', { tags }, (_, options) => {
      const pair = contest(options);
      train(pair, { sentences: 30, passes: 5 }, () => {
        expect(pair.presentDifference()).toBeLessThan(rounding);
      });
      expect(pair.deployedDifference()).toBeLessThan(rounding);
      expect(pair.nonZero().length).toBeGreaterThan(150);
    });
  }

  it('does so with the weights of observed pairs alone', () => {
    const pair = contest({ l2: 1 }, { spec: { support: 'observed' } });
    train(pair, { sentences: 30, passes: 3 });
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(rounding);
    expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
  });

  it('updates sentence by sentence in a minibatch, all of it scored at the weights before', () => {
    const pair = contest({ l2: 1, average: true, averageAfter: 0 });
    train(pair, { sentences: 30, passes: 3, batch: 8 });
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(rounding);
  });

  it('keeps its weights when the scale has become tiny and is multiplied into them', () => {
    const options = { eta0: 0.4, l2: 1, schedule: 'constant', average: true } as const;
    const pair = contest({ ...options, averageAfter: 0 }, { corpusSize: 2 });
    const scales: number[] = [];
    train(pair, { sentences: 40, passes: 3 }, () => scales.push(pair.model.parameters.scale));
    expect(scales.filter(scale => scale === 1).length).toBeGreaterThanOrEqual(3);
    const least = kernel.precision === 'float64' ? 1e-6 : 1e-2;
    expect(Math.min(...scales)).toBeLessThan(10 * least);
    expect(Math.min(...scales)).toBeGreaterThanOrEqual(least);
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(tolerance);
  });

  for (const { rows, tags } of everyNth(2, [0.499_999_9, 0.5, 0.7])) {
    it.each(rows)('keeps them when each sentence undoes the scale: l2 %d', { tags }, l2 => {
      const options = { eta0: 1, l2, schedule: 'constant', average: true } as const;
      const pair = contest({ ...options, averageAfter: 0 }, { corpusSize: 1 });
      train(pair, { sentences: 20, passes: 3 });
      expect(pair.presentDifference()).toBeLessThan(rounding);
      expect(pair.deployedDifference()).toBeLessThan(tolerance);
    });
  }

  for (const { rows, tags } of everyNth(4, [0, 0.1, 0.5, 1, 2.25])) {
    it.each(rows)(
      'averages dense copies of the weights, from pass %d on',
      { tags },
      averageAfter => {
        const pair = contest({ average: true, averageAfter, l2: 1 });
        let sentences = 0;
        let present = 0;
        train(pair, { sentences: 30, passes: 3 }, () => {
          sentences += 1;
          if (sentences % 7 !== 0) return;
          expect(pair.deployedDifference()).toBeLessThan(tolerance);
          const deployed = pair.model.parameters.emptyCopy();
          pair.learner.optimizer.deploy(deployed.weights);
          const scale = pair.model.parameters.scale;
          const kept = kernel.precision === 'float64' ? (w: number) => w : Math.fround;
          const weights = Array.from(pair.model.parameters.weights.state.view, v =>
            kept(scale * v),
          );
          const same = weights.every((weight, i) => weight === deployed.weights.state.view[i]);
          expect(same).toBe(sentences <= Math.round(averageAfter * 30));
          if (same) present += 1;
        });
        expect(present).toBe(Math.floor(Math.round(averageAfter * 30) / 7));
      },
    );
  }

  it('averages the latest sentences where no pass may follow, and all after the first pass', {
    tags: 'slow',
  }, () => {
    const pair = contest({ average: true, l2: 1 });
    const starts: number[] = [];
    let sentences = 0;
    train(pair, { sentences: 30, passes: 3 }, () => {
      sentences += 1;
      expect(pair.deployedDifference()).toBeLessThan(tolerance);
      const { averaging } = pair.learner.optimizer.save().json as { averaging: { count: number } };
      if (averaging.count === 1) starts.push(sentences - 1);
      if (sentences > 30) expect(averaging.count).toBe(sentences - 30);
    });
    expect(starts).toEqual([0, 1, 2, 4, 8, 15, 30]);
  });

  it('ends after several passes with the bytes of an average from the second on', () => {
    const [early, late] = [contest({ average: true }), contest({ average: true, averageAfter: 1 })];
    const averages = [early, late].map(pair => {
      train(pair, { sentences: 30, passes: 2, batch: 7 });
      const deployed = pair.model.parameters.emptyCopy();
      pair.learner.optimizer.deploy(deployed.weights);
      return [deployed.weights.state.view, deployed.weights.edges.view];
    });
    expect(averages[0]).toEqual(averages[1]);
  });

  it('does not divide by the size of the minibatch', () => {
    const one = contest({ l2: 0, schedule: 'constant' });
    const [sentence] = smallCorpus(new Random(8), 1);
    const encoded = one.encode(sentence!);
    one.learn([encoded]);
    const after = one.model.parameters.weights.state.view.slice();
    const four = contest({ l2: 0, schedule: 'constant' });
    const same = four.encode(sentence!);
    four.learn([same, same, same, same]);
    const sum = four.model.parameters.weights.state.view;
    expect(Math.max(...after)).toBeGreaterThan(0.01);
    for (const [i, weight] of after.entries())
      expect(Math.abs(sum[i]! - 4 * weight)).toBeLessThan(rounding);
  });

  it('has the step size of its schedule at the passes made so far', () => {
    const pair = contest({ eta0: 0.5, schedule: 'inverse', decay: 2 }, { corpusSize: 4 });
    const sizes: number[] = [];
    train(pair, { sentences: 4, passes: 2 }, () => sizes.push(pair.learner.optimizer.stepSize));
    const passes = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
    expect(sizes).toEqual(passes.map(pass => 0.5 / (1 + 2 * pass)));
  });

  it.each([
    { eta0: 0 },
    { l2: -1 },
    { averageAfter: -1 },
    { averageAfter: 1 },
    { decay: 0 },
    { eta: 1 },
    { eta0: '1' },
  ])('refuses the options %j', options => {
    expect(sgd.options.safeParse(options).success).toBe(false);
  });
});
