import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { type PerceptronOptions, perceptron } from '../../../src/engine/optimizers/perceptron.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { sentenceOf } from '../features/sentence-of.js';
import { naivePerceptron } from './naive-optimizers.js';
import { edgeName, stateName } from './naive-trainer.js';
import { type Contest, SideBySide, weightOf } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

// Without numbers: all weights are then whole, and the naive perceptron breaks the same ties.
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';

describe.each(kernelRows)('perceptron with the $name kernel', ({ kernel, tolerance, rounding }) => {
  function contest(
    options: Partial<PerceptronOptions> = {},
    rest: Partial<Contest<PerceptronOptions>> = {},
  ) {
    return new SideBySide<PerceptronOptions>({
      kernel,
      optimizer: perceptron,
      options,
      naive: naivePerceptron,
      corpusSize: 40,
      spec: { templates },
      ...rest,
    });
  }

  it('adds F(gold) - F(best) after a wrong sentence, also where all scores are equal', () => {
    const pair = contest();
    const { parameters } = pair.model;
    const encoded = pair.encode(sentenceOf(['a', 'b', 'a'], { tags: ['X', 'Y', 'Y'] }));
    pair.learn([encoded]);
    // Best at weights of zero: X X X. Rows: U0 a, b, a are 0, 2, 0; U1 _B-1, a, b are 1, 3, 4.
    const at = (name: string) => weightOf(parameters, name);
    const state = (row: number) => [at(stateName(row, 0)), at(stateName(row, 1))];
    expect([0, 1, 2, 3, 4].map(state)).toEqual([
      [-1, 1],
      [0, 0],
      [-1, 1],
      [-1, 1],
      [-1, 1],
    ]);
    const edges = (row: number) =>
      [0, 1].map(from => [0, 1].map(to => at(edgeName(row, from, to))));
    expect(edges(0)).toEqual([
      [-2, 1],
      [0, 1],
    ]);
    // Transitions into the second token (b) and the third (a); none into the first.
    expect(edges(2)).toEqual([
      [-1, 1],
      [0, 0],
    ]);
    expect(edges(1)).toEqual([
      [-1, 0],
      [0, 1],
    ]);
    for (let i = 0; i < 5; i += 1) pair.learn([encoded]);
    expect(pair.trainer.gradientOf(encoded, 'perceptron').loss).toBe(0);
    const right = parameters.weights.state.view.slice();
    pair.learn([encoded]);
    expect(parameters.weights.state.view).toEqual(right);
  });

  it.each([1, 8])(
    "is Collins's perceptron, its average that of all copies (batches of %i)",
    batch => {
      const pair = contest();
      const corpus = smallCorpus(new Random(11), 40).map(each => pair.encode(each));
      for (let pass = 0; pass < 6; pass += 1) {
        for (let i = 0; i < corpus.length; i += batch) {
          pair.learn(corpus.slice(i, i + batch));
          expect(pair.presentDifference()).toBe(0);
          expect(pair.deployedDifference()).toBeLessThan(tolerance);
        }
      }
      expect(pair.nonZero().length).toBeGreaterThan(80);
    },
  );

  it('deploys w - ws / c, Collins, Algorithm in the notation of the averaged perceptron', () => {
    const pair = contest();
    const { parameters } = pair.model;
    const corpus = smallCorpus(new Random(12), 10).map(each => pair.encode(each));
    pair.trainer.grow();
    const ws = new Map<string, number>();
    let c = 0;
    for (const sentence of corpus) {
      const { gradient } = pair.trainer.gradientOf(sentence, 'perceptron');
      // Updated in sentence c, from 1: the update stands in the weights of c, c + 1, ... of all.
      for (const [name, amount] of gradient) ws.set(name, (ws.get(name) ?? 0) - c * amount);
      c += 1;
      pair.learn([sentence]);
    }
    const deployed = parameters.emptyCopy();
    pair.learner.optimizer.deploy(deployed.weights);
    for (const name of pair.trainer.weights.keys()) {
      const expected = weightOf(parameters, name) - (ws.get(name) ?? 0) / c;
      expect(difference([weightOf(deployed, name)], [expected])).toBeLessThan(rounding);
    }
  });

  it('deploys the present weights where no average is wanted', () => {
    const pair = contest({ average: false });
    for (const each of smallCorpus(new Random(13), 40)) pair.learn([pair.encode(each)]);
    expect(pair.presentDifference()).toBe(0);
    expect(pair.deployedDifference()).toBe(0);
  });

  it('does so with the weights of observed pairs alone', () => {
    const pair = contest({}, { spec: { templates, support: 'observed' } });
    const corpus = smallCorpus(new Random(14), 40).map(each => pair.encode(each));
    for (let pass = 0; pass < 4; pass += 1) for (const sentence of corpus) pair.learn([sentence]);
    expect(pair.presentDifference()).toBe(0);
    expect(pair.deployedDifference()).toBeLessThan(tolerance);
    expect(pair.model.parameters.pairs.size).toBeGreaterThan(20);
  });

  it('averages what is created on a stream over its own life', () => {
    const random = new Random(15);
    const pair = contest();
    for (const [labels, words] of [
      [2, 4],
      [3, 8],
      [5, 14],
    ] as const) {
      for (const each of smallCorpus(random, 30, { labels, words, longest: 3 })) {
        pair.learn([pair.encode(each)]);
        expect(pair.presentDifference()).toBe(0);
        expect(pair.deployedDifference()).toBeLessThan(tolerance);
      }
    }
    const lives = new Set([...pair.trainer.weights.values()].map(({ count }) => count));
    expect(lives.size).toBeGreaterThan(10);
  });

  it('has a step size of 1, and knows no option but the average and the end', () => {
    expect(contest().learner.optimizer.stepSize).toBe(1);
    expect(perceptron.options.parse({})).toEqual({ average: true, untilSeparated: false });
    expect(perceptron.options.safeParse({ eta0: 1 }).success).toBe(false);
  });
});
