import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { type SgdL1Options, sgdL1 } from '../../../src/engine/optimizers/sgd-l1.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../house/long-forms.js';
import { naiveSgdL1 } from './naive-optimizers.js';
import { type Contest, SideBySide } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

function zeroShare({ trainer, naive }: SideBySide<SgdL1Options>): number {
  const weights = [...trainer.weights.values()];
  return weights.filter(weight => naive.deployed(weight) === 0).length / weights.length;
}

describe.each(kernelRows)('sgd-l1 with the $name kernel', ({ kernel, rounding }) => {
  function contest(options: Partial<SgdL1Options>, rest: Partial<Contest<SgdL1Options>> = {}) {
    return new SideBySide<SgdL1Options>({
      kernel,
      optimizer: sgdL1,
      options,
      naive: naiveSgdL1,
      corpusSize: 40,
      ...rest,
    });
  }

  it.each<[string, Partial<SgdL1Options>, number]>([
    ['with its defaults', {}, 0.2],
    ['with a constant step', { schedule: 'constant', eta0: 0.1, l1: 2 }, 0.4],
    ['with a step that shrinks as 1 / k', { schedule: 'inverse', eta0: 0.3, l1: 0.5 }, 0.1],
    ['with a heavy penalty', { l1: 5 }, 0.7],
  ])(
    'is the algorithm of the paper, weight by weight, on a finite corpus: %s',
    { tags: 'slow' },
    (_, options, share) => {
      const pair = contest(options);
      const corpus = smallCorpus(new Random(4), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 8; pass += 1) {
        for (const sentence of corpus) {
          pair.learn([sentence]);
          expect(pair.presentDifference()).toBeLessThan(rounding);
        }
        expect(pair.deployedDifference()).toBeLessThan(rounding);
      }
      expect(zeroShare(pair)).toBeGreaterThan(share);
      expect(pair.nonZero().length).toBeGreaterThan(0);
    },
  );

  for (const { rows, tags } of everyNth(5, [
    ['all', 1],
    ['all', 8],
    ['observed', 8],
  ] as const)) {
    it.each(rows)(
      'with L2 shrinks all weights after each sentence (%s, %d)',
      { tags },
      (support, batch) => {
        const random = new Random(12);
        const shapes = [4, 10, 16].map((words, i) => ({ labels: 2 + i, words, longest: 3 }));
        const stream = shapes.flatMap(shape => smallCorpus(random, 30, shape));
        const options = { schedule: 'constant', eta0: 0.2, l1: 0.5, l2: 1.5 } as const;
        const pair = contest(options, { spec: { support } });
        const whole = support === 'all' ? undefined : stream.map(each => pair.encode(each));
        for (let i = 0; i < stream.length; i += batch) {
          const some = whole?.slice(i, i + batch);
          pair.learn(some ?? stream.slice(i, i + batch).map(each => pair.encode(each)));
        }
        expect(pair.deployedDifference()).toBeLessThan(2 * rounding);
        expect(zeroShare(pair)).toBeGreaterThan(0.05);
        expect(pair.nonZero().length).toBeGreaterThan(10);
      },
    );
  }

  it('without a penalty is plain SGD', () => {
    const pair = contest({ l1: 0 });
    const corpus = smallCorpus(new Random(4), 40).map(each => pair.encode(each));
    for (const sentence of corpus) pair.learn([sentence]);
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(rounding);
    expect(zeroShare(pair)).toBeLessThan(0.25);
  });

  it('clips the weights of observed pairs alone', () => {
    const pair = contest({ l1: 2 }, { spec: { support: 'observed' } });
    const corpus = smallCorpus(new Random(6), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 4; pass += 1) for (const sentence of corpus) pair.learn([sentence]);
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(rounding);
    expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
  });

  it('updates and clips sentence by sentence in a minibatch', () => {
    const pair = contest({ l1: 1 });
    const corpus = smallCorpus(new Random(7), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 3; pass += 1) {
      for (let i = 0; i < 40; i += 8) pair.learn(corpus.slice(i, i + 8));
    }
    expect(pair.presentDifference()).toBeLessThan(rounding);
    expect(pair.deployedDifference()).toBeLessThan(rounding);
  });

  it('lets features and labels that are created on a stream owe what came after', {
    tags: 'slow',
  }, () => {
    const random = new Random(5);
    const shape = (labels: number, words: number) => ({ labels, words, longest: 3 });
    const stream: Sentence[] = [
      ...smallCorpus(random, 40, shape(2, 4)),
      ...smallCorpus(random, 40, shape(3, 10)),
      ...smallCorpus(random, 40, shape(5, 16)),
    ];
    for (const batch of [1, 8]) {
      const pair = contest({ schedule: 'constant', eta0: 0.2, l1: 2 });
      for (let i = 0; i < stream.length; i += batch) {
        pair.learn(stream.slice(i, i + batch).map(each => pair.encode(each)));
        expect(pair.presentDifference()).toBeLessThan(rounding);
      }
      expect(pair.deployedDifference()).toBeLessThan(rounding);
      const creationTimes = [...pair.trainer.weights.values()].map(({ createdAt }) => createdAt);
      expect(new Set(creationTimes).size).toBeGreaterThan(batch === 1 ? 20 : 7);
      expect(pair.model.labels.size).toBe(5);
    }
  });

  it('has lower weights the higher the penalty', { tags: 'slow' }, () => {
    const sums = [0, 0.1, 1, 5, 50].map(l1 => {
      const pair = contest({ l1 });
      const corpus = smallCorpus(new Random(9), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 5; pass += 1) for (const sentence of corpus) pair.learn([sentence]);
      const deployed = pair.model.parameters.emptyCopy();
      pair.learner.optimizer.deploy(deployed.weights);
      return Array.from(deployed.weights.state.view).reduce((sum, w) => sum + Math.abs(w), 0);
    });
    for (let i = 1; i < sums.length; i += 1) expect(sums[i]).toBeLessThan(sums[i - 1]!);
    expect(sums.at(-1)).toBe(0);
  });

  it.each([{ eta0: -1 }, { l1: -0.1 }, { schedule: 'step' }, { l2: -1 }])(
    'refuses the options %j',
    options => {
      expect(sgdL1.options.safeParse(options).success).toBe(false);
    },
  );
});
