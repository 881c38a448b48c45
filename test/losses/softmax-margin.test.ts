import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../src/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../src/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/core/random.js';
import { scoreBatch } from '../../src/inference/score-batch.js';
import { contributionOf } from '../../src/losses/contribution-of.js';
import { hingeLoss } from '../../src/losses/hinge-loss.js';
import { logLoss } from '../../src/losses/log-loss.js';
import { receivedLoss, sharedLoss } from '../../src/losses/shared-loss.js';
import { SoftmaxMargin, softmaxMarginLoss } from '../../src/losses/softmax-margin.js';
import { difference } from '../contracts/oracle/differences/difference.js';
import { Enumeration } from '../contracts/oracle/enumeration.js';
import { float64Copy } from '../contracts/oracle/kernels/float64-copy.js';
import { KernelPlace } from '../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../contracts/oracle/kernels/parameter-places.js';
import { lossValues } from '../contracts/oracle/loss-values.js';
import { partialSentence } from '../contracts/oracle/problems/partial-sentence.js';
import { type ProblemShape, randomProblem } from '../contracts/oracle/problems/problem.js';
import { scoresOf } from '../contracts/oracle/scores-of.js';
import { centralDifference } from './central-difference.js';

/** A random problem, half of whose sentences are labelled in part. */
function problemOf(random: Random, place: KernelPlace, shape: Partial<ProblemShape> = {}) {
  const { store, batch } = randomProblem(random, { labelled: true, ...shape }, place);
  const sentences = batch.sentences.map(
    (sentence): EncodedSentence =>
      random.below(2) === 0 ? sentence : partialSentence(random, sentence, store.labels),
  );
  return { store, batch: packMinibatch(sentences) };
}

/** Any costs; the label that stands for nothing may be one that there is not. */
function randomLoss(random: Random): SoftmaxMargin {
  const [cost, missCost, outside] = [random.below(30) / 10, random.below(60) / 10, random.below(4)];
  return random.below(4) === 0
    ? new SoftmaxMargin({ cost })
    : new SoftmaxMargin({ cost, missCost, outside: () => outside - 1 });
}

describe.each(kernelRows)('the softmax-margin loss with the $name kernel', row => {
  const { kernel, tolerance, rounding } = row;

  it('is log Z of the scores with costs, less that of what is allowed', () => {
    const random = new Random(700);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let missed = 0;
    for (let i = 0; i < 60; i += 1) {
      const { store, batch } = problemOf(random, place);
      const loss = randomLoss(random);
      const { losses } = contributionOf(kernel, store, lattice, batch, loss);
      for (const [s, sentence] of batch.sentences.entries()) {
        const costs = loss.costs();
        const expected = lossValues(store, sentence, costs)['softmax-margin']!.loss;
        expect(difference([losses[s]!], [expected])).toBeLessThanOrEqual(tolerance);
        const alike = lossValues(store, sentence, { ...costs, missed: costs.wrong });
        if (Math.abs(alike['softmax-margin']!.loss - expected) > 0.1) missed += 1;
      }
    }
    expect(missed).toBeGreaterThan(20);
  });

  it('has the margin of the gold sequence to the sum of all others with their costs', () => {
    const random = new Random(703);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let negative = 0;
    for (let i = 0; i < 40; i += 1) {
      const { store, batch } = randomProblem(random, { labelled: true }, place);
      const loss = randomLoss(random);
      const { losses } = contributionOf(kernel, store, lattice, batch, loss);
      for (const [s, sentence] of batch.sentences.entries()) {
        // Of so small a loss rounding leaves no digits of the margin.
        if (sentence.gold === undefined || !(losses[s]! > 0.01)) continue;
        const { wrong, missed, outside } = loss.costs();
        const { emissions, transitions } = scoresOf(store, sentence);
        const gold = sentence.gold;
        const costly = emissions.map((row, t) =>
          row.map((score, y) => score + (y === gold[t] ? 0 : y === outside ? missed : wrong)),
        );
        const chain = new Enumeration({ emissions: costly, transitions });
        const others = chain.ranked.filter(({ path }) => path.some((y, t) => y !== gold[t]));
        const most = Math.max(...others.map(({ score }) => score));
        const sum = others.reduce((total, { score }) => total + Math.exp(score - most), 0);
        const expected = chain.pathScore(gold) - most - Math.log(sum);
        expect(loss.margin(losses[s]!)).toBeCloseTo(
          expected,
          kernel.precision === 'float64' ? 7 : 2,
        );
        if (expected < 0) negative += 1;
      }
    }
    expect(negative).toBeGreaterThan(10);
  });

  it('has the gradient of central differences', () => {
    const random = new Random(701);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let steep = 0;
    for (let i = 0; i < 25; i += 1) {
      const { store, batch } = problemOf(random, place, i % 2 === 0 ? {} : { edgeFeatures: 2 });
      const loss = randomLoss(random);
      const contribution = contributionOf(kernel, store, lattice, batch, loss);
      const copy = float64Copy(store);
      const places = parameterPlaces(store).filter(({ supported }) => supported);
      for (const [s, sentence] of batch.sentences.entries()) {
        const plane = store.addPlane();
        kernel.accumulate(store, plane, contribution, s, 1);
        for (let j = 0; j < 5 && places.length > 0; j += 1) {
          const { table, at } = places[random.below(places.length)]!;
          const view = copy.weights[table].view;
          const slope = centralDifference(
            view,
            at,
            copy.scale,
            () => lossValues(copy, sentence, loss.costs())['softmax-margin']!.loss,
          );
          const apart = difference([plane[table].view[at]!], [slope]);
          expect(apart).toBeLessThanOrEqual(Math.max(1e-6, tolerance));
          if (Math.abs(slope) > 0.01) steep += 1;
        }
      }
    }
    expect(steep).toBeGreaterThan(40);
  });

  it('is the log loss to the bit where nothing costs anything', () => {
    const random = new Random(702);
    const place = new KernelPlace(kernel);
    for (let i = 0; i < 20; i += 1) {
      const { store, batch } = problemOf(random, place);
      const free = new SoftmaxMargin({ cost: 0 });
      const found = contributionOf(kernel, store, place.lattice(), batch, free);
      const expected = contributionOf(kernel, store, place.lattice(), batch, logLoss);
      expect(found.losses).toEqual(expected.losses);
      const numbers = batch.tokens * found.width;
      expect(found.residual.subarray(0, numbers)).toEqual(expected.residual.subarray(0, numbers));
    }
  });

  it('is between the margin loss of the same costs and that plus the logarithm of all sequences', () => {
    const random = new Random(703);
    const place = new KernelPlace(kernel);
    for (let i = 0; i < 40; i += 1) {
      const { store, batch } = randomProblem(random, { labelled: true }, place);
      const soft = contributionOf(kernel, store, place.lattice(), batch, softmaxMarginLoss);
      const hard = contributionOf(kernel, store, place.lattice(), batch, hingeLoss);
      for (const [s, { length }] of batch.sentences.entries()) {
        const over = soft.losses[s]! - hard.losses[s]!;
        expect(over).toBeGreaterThanOrEqual(-20 * tolerance);
        expect(over).toBeLessThanOrEqual(length * Math.log(store.labels) + 20 * tolerance);
      }
    }
  });

  it('leaves scores and exponentials of the batch as they were, to the bit', () => {
    const random = new Random(704);
    const place = new KernelPlace(kernel);
    for (let i = 0; i < 30; i += 1) {
      // Of large scores, so that some sentences go through log space.
      const spread = i % 2 === 0 ? 1 : 300;
      const { store, batch } = problemOf(random, place, { sentences: 3, spread });
      const lattice = place.lattice();
      scoreBatch(kernel, store, lattice, batch);
      logLoss.apply(kernel, lattice, 0, batch.gold, new Int32Array(0));
      const numbers = batch.tokens * lattice.width;
      const kept = () => [
        lattice.emissionScores.view.slice(0, numbers),
        lattice.expEmissions.view.slice(0, numbers),
      ];
      const before = kept();
      const loss = randomLoss(random);
      for (let s = 0; s < 3; s += 1) {
        loss.apply(kernel, lattice, s, batch.gold, new Int32Array(0));
        expect(kept()).toEqual(before);
      }
    }
  });

  it('of one token is log sum exp(score + cost) - score of the gold label', () => {
    const place = new KernelPlace(kernel);
    const shape = { labels: 3, longest: 1, sentences: 1, labelled: true, stateRows: 0 } as const;
    const { store, batch } = randomProblem(new Random(705), shape, place);
    // All scores are 0.
    const gold = batch.gold[0]!;
    const other = (gold + 1) % 3;
    const loss = new SoftmaxMargin({ cost: 0.5, missCost: 2, outside: () => other });
    const lattice = place.lattice();
    const found = contributionOf(kernel, store, lattice, batch, loss);
    const total = 1 + Math.exp(0.5) + Math.exp(2);
    expect(Math.abs(found.loss - Math.log(total))).toBeLessThan(20 * rounding);
    const [nodes] = new LatticeReader(lattice, 0).nodes();
    expect(Math.abs(nodes![other]! - Math.exp(2) / total)).toBeLessThan(20 * rounding);
    expect(Math.abs(nodes![gold]! - (1 / total - 1))).toBeLessThan(20 * rounding);
    // False alarms cost what all others do.
    const alarmed = new SoftmaxMargin({ cost: 0.5, missCost: 2, outside: () => gold });
    const alarm = contributionOf(kernel, store, lattice, batch, alarmed);
    expect(Math.abs(alarm.loss - Math.log(1 + 2 * Math.exp(0.5)))).toBeLessThan(20 * rounding);
  });

  it('is right where costs are a thousand, and where gold labels are a thousand behind', () => {
    const random = new Random(706);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    const allowed = kernel.precision === 'float64' ? 1e-8 : 0.05;
    for (let i = 0; i < 20; i += 1) {
      const { store, batch } = problemOf(random, place, { spread: i % 2 === 0 ? 1 : 1000 });
      const loss = new SoftmaxMargin({ cost: 1000, missCost: 900, outside: () => 0 });
      const contribution = contributionOf(kernel, store, lattice, batch, loss);
      for (const [s, sentence] of batch.sentences.entries()) {
        const expected = lossValues(store, sentence, loss.costs())['softmax-margin']!.loss;
        expect(Math.abs(contribution.losses[s]! - expected)).toBeLessThan(allowed);
      }
      expect(contribution.residual.every(Number.isFinite)).toBe(true);
    }
  });
});

it('asks for the label that stands for nothing as often as it is needed: it may come late', () => {
  let outside = -1;
  const loss = new SoftmaxMargin({ cost: 1, missCost: 3, outside: () => outside });
  expect(loss.costs()).toEqual({ wrong: 1, missed: 3, outside: -1 });
  outside = 2;
  expect(loss.costs()).toEqual({ wrong: 1, missed: 3, outside: 2 });
  expect(softmaxMarginLoss).toBeInstanceOf(SoftmaxMargin);
  expect(new SoftmaxMargin({ cost: 2 }).costs()).toEqual({ wrong: 2, missed: 2, outside: -1 });
});

it.each([
  [{ cost: -1 }, '-1 is not a valid cost of a wrong label'],
  [
    { cost: 1, missCost: Number.POSITIVE_INFINITY },
    'Infinity is not a valid cost of a wrong label',
  ],
  [{ cost: Number.NaN }, 'NaN is not a valid cost of a wrong label'],
])('refuses %j', (options, problem) => {
  expect(() => new SoftmaxMargin(options)).toThrow(problem);
});

it('is shared with other threads as its costs, other losses by their names', () => {
  const loss = new SoftmaxMargin({ cost: 0.5, missCost: 2, outside: () => 3 });
  const shared = structuredClone(sharedLoss(loss)!);
  expect(shared).toEqual({
    name: 'softmax-margin',
    costs: { wrong: 0.5, missed: 2, outside: 3 },
  });
  expect((receivedLoss(shared) as SoftmaxMargin).costs()).toEqual(loss.costs());
  expect(receivedLoss(sharedLoss(hingeLoss)!)).toBe(hingeLoss);
  expect(sharedLoss({ ...hingeLoss })).toBeUndefined();
});
