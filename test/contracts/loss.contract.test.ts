import { describe, expect, it } from 'vitest';
import type { Reals } from '../../src/engine/core/arrays.js';
import { packMinibatch } from '../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/engine/core/random.js';
import type { ScorerName } from '../../src/engine/core/scorer.js';
import type { Contribution } from '../../src/engine/core/training/contribution.js';
import { scoreBatch } from '../../src/engine/inference/score-batch.js';
import { scorers } from '../../src/engine/inference/scorers/scorers.js';
import { contributionOf } from '../../src/engine/losses/contribution-of.js';
import type { Loss } from '../../src/engine/losses/loss.js';
import { fitsScorer, losses } from '../../src/engine/losses/losses.js';
import { coverPairs } from '../house/long-forms.js';
import { pluginLosses } from '../runtime/plugins/plugin-components.js';
import { KernelPlace } from './oracle/kernels/kernel-place.js';
import { kernelRows } from './oracle/kernels/kernels.js';
import { type Problem, type ProblemShape, randomProblem } from './oracle/problems/problem.js';

/** Residuals of one sentence: by token, summed transitions, and edges by token (none: empty). */
function residualsOf(contribution: Contribution, s: number, labels: number): number[][] {
  const { width, matrixSize, edgeSlots } = contribution;
  const first = contribution.minibatch.sentenceStarts[s]!;
  const end = contribution.minibatch.sentenceStarts[s + 1]!;
  const matrix = (source: Reals, index: number) =>
    Array.from(source.subarray(index * matrixSize, index * matrixSize + labels * width));
  const residuals: number[][] = [matrix(contribution.transitionResidual, s)];
  for (let t = first; t < end; t += 1) {
    residuals.push(Array.from(contribution.residual.subarray(t * width, (t + 1) * width)));
    const slot = edgeSlots[t]!;
    residuals.push(slot < 0 ? [] : matrix(contribution.edgeResidual, slot));
  }
  return residuals;
}

/** A loss with a scorer whose models it trains. */
interface Row {
  readonly scorer: ScorerName;
  readonly loss: Loss;
}

/**
 * How large a residual of a sentence may be, from its loss: 1, or the sum of 1/p. Where scores are normalised at each
 * token, what the labels before it have comes on top, as far as it is not that of the distribution itself.
 */
function largestResidual(
  { losses: found, minibatch }: Contribution,
  s: number,
  { scorer, loss: { name } }: Row,
) {
  const length = minibatch.sentenceStarts[s + 1]! - minibatch.sentenceStarts[s]!;
  if (name === 'softmax-margin' && scorer === 'memm') return 2;
  if (name === 'exponential') return 1 + found[s]!;
  return name.startsWith('pointwise-') ? length + found[s]! : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const shapes: [string, Partial<ProblemShape>][] = [
  ['of every kind', {}],
  ['with edge features', { edgeFeatures: 3, labels: 3, stateRows: 5 }],
  ['of one token', { longest: 1, edgeFeatures: 2 }],
  ['of one label', { labels: 1, edgeFeatures: 1 }],
  ['of large scores', { spread: 300, labels: 3, stateRows: 6 }],
];

it('the losses of the catalogue have names of their own', () => {
  expect(new Set(losses.map(({ name }) => name)).size).toBe(losses.length);
});

/** All of them. */
const rows: readonly Row[] = scorers.flatMap(({ name: scorer }) =>
  [...losses, ...pluginLosses()]
    .filter(loss => fitsScorer(loss, scorer))
    .map(loss => ({ scorer, loss })),
);

const withKernels = coverPairs(
  kernelRows.flatMap(kernelRow => rows.map(row => ({ ...row, ...kernelRow }))),
  ({ loss, scorer, name }) => [loss.name, scorer, name],
);

for (const { rows: some, tags } of withKernels) {
  const what = '$loss.name loss of $scorer scores with the $name kernel';
  describe.each(some)(what, { tags }, ({ loss, scorer, kernel, tolerance, rounding }) => {
    function forEachProblem(
      fixed: Partial<ProblemShape>,
      check: (contribution: Contribution, problem: Problem) => void,
    ): void {
      const random = new Random(70);
      const place = new KernelPlace(kernel);
      const lattice = place.lattice();
      for (let i = 0; i < 24; i += 1) {
        const problem = randomProblem(random, { scorer, ...fixed }, place);
        check(contributionOf(kernel, problem.store, lattice, problem.batch, loss), problem);
      }
    }

    // What is not normalised over labels may be of any sign, and expects nothing: see joint-loss.test.ts.
    const normalised = loss.name !== 'joint';

    it.each(normalised ? shapes : [])('is never negative: sentences %s', (_, shape) => {
      let positive = 0;
      forEachProblem({ ...shape, labelled: true }, contribution => {
        for (const each of contribution.losses) {
          // The log loss is the difference of two sums: rounding may take it below 0 by that much.
          expect(each).toBeGreaterThanOrEqual(-rounding * (shape.spread ?? 10));
          if (each > 1e-9) positive += 1;
        }
        expect(contribution.loss).toBe(sum(Array.from(contribution.losses)));
      });
      if (shape.labels !== 1) expect(positive).toBeGreaterThan(8);
    });

    it.each(normalised ? shapes : [])(
      'has residuals that cancel out at each token and transition: %s',
      (_, shape) => {
        forEachProblem({ ...shape, labelled: true }, (contribution, { batch, store }) => {
          for (let s = 0; s < batch.sentences.length; s += 1) {
            const most = largestResidual(contribution, s, { scorer, loss });
            const sums = residualsOf(contribution, s, store.labels).map(sum);
            expect(Math.max(...sums.map(Math.abs))).toBeLessThan(10 * rounding * most);
          }
        });
      },
    );

    it('has residuals of at most one, or the sum of 1/p, and of none but the labels', () => {
      forEachProblem({ labelled: true, edgeFeatures: 2 }, (contribution, { batch, store }) => {
        for (let s = 0; s < batch.sentences.length; s += 1) {
          const [, ...tokens] = residualsOf(contribution, s, store.labels);
          const most = largestResidual(contribution, s, { scorer, loss }) * (1 + rounding);
          for (const residuals of tokens) {
            expect(residuals.every(each => Math.abs(each) <= most)).toBe(true);
            const lanes = residuals.filter((_, i) => i % store.width >= store.labels);
            expect(lanes.every(lane => lane === 0)).toBe(true);
          }
        }
      });
    });

    it('has no transitions to speak of in a sentence of one token', () => {
      forEachProblem({ longest: 1, labelled: true, edgeFeatures: 2 }, (contribution, { batch }) => {
        expect(contribution.edgeSlots.subarray(0, batch.tokens).every(slot => slot === -1)).toBe(
          true,
        );
        const used = contribution.matrixSize * batch.sentences.length;
        const transitions = contribution.transitionResidual.subarray(0, used);
        expect(transitions.every(residual => residual === 0)).toBe(true);
        expect(contribution.tokenCount).toBe(batch.sentences.length);
      });
    });

    it('gives a sentence the same bits wherever in a batch it stands', () => {
      const random = new Random(71);
      const place = new KernelPlace(kernel);
      for (let i = 0; i < 40; i += 1) {
        const { store, batch } = randomProblem(
          random,
          { scorer, sentences: 5, edgeFeatures: i % 3 },
          place,
        );
        const order = random.shuffle(Uint32Array.from([0, 1, 2, 3, 4]));
        const shuffled = packMinibatch(Array.from(order, s => batch.sentences[s]!));
        const straight = contributionOf(kernel, store, place.lattice(), batch, loss);
        const mixed = contributionOf(kernel, store, place.lattice(), shuffled, loss);
        for (const [place, s] of order.entries()) {
          expect(mixed.losses[place]).toBe(straight.losses[s]);
          expect(residualsOf(mixed, place, store.labels)).toEqual(
            residualsOf(straight, s, store.labels),
          );
        }
      }
    });

    it('gives the same bits whatever the lattice held before', () => {
      const random = new Random(72);
      const place = new KernelPlace(kernel);
      const used = place.lattice();
      for (let i = 0; i < 60; i += 1) {
        const { store, batch } = randomProblem(random, { scorer }, place);
        const fresh = contributionOf(kernel, store, place.lattice(), batch, loss, true);
        const again = contributionOf(kernel, store, used, batch, loss, true);
        expect(again.losses).toEqual(fresh.losses);
        expect(again.predicted).toEqual(fresh.predicted);
        for (let s = 0; s < batch.sentences.length; s += 1) {
          expect(residualsOf(again, s, store.labels)).toEqual(residualsOf(fresh, s, store.labels));
        }
      }
    });

    it('writes the tables of its own sentence alone, and predictions for it alone', () => {
      const random = new Random(73);
      const place = new KernelPlace(kernel);
      for (let i = 0; i < 40; i += 1) {
        const shape = { scorer, sentences: 4, labelled: true, edgeFeatures: 2 };
        const { store, batch } = randomProblem(random, shape, place);
        const lattice = place.lattice();
        scoreBatch(kernel, store, lattice, batch);
        for (const table of [lattice.nodes, lattice.edges, lattice.transitions]) table.view.fill(7);
        const predicted = new Int32Array(batch.tokens).fill(-9);
        const gold = batch.gold.slice();
        const s = random.below(4);
        loss.apply(kernel, lattice, s, batch.gold, predicted);
        expect(batch.gold).toEqual(gold);
        for (let other = 0; other < 4; other += 1) {
          const first = batch.sentenceStarts[other]!;
          const end = batch.sentenceStarts[other + 1]!;
          const nodes = lattice.nodes.view.subarray(first * lattice.width, end * lattice.width);
          const from = other * lattice.matrixSize;
          const transitions = lattice.transitions.view.subarray(from, from + lattice.matrixSize);
          const expected = other === s;
          expect(nodes.every(each => each === 7)).toBe(!expected);
          expect(transitions.every(each => each === 7)).toBe(!expected);
          for (let t = first; t < end; t += 1) {
            const slot = lattice.edgeSlots[t]!;
            expect(predicted[t]! >= 0).toBe(expected && loss.predicts);
            if (slot < 0) continue;
            const edges = lattice.edges.view.subarray(
              slot * lattice.matrixSize,
              (slot + 1) * lattice.matrixSize,
            );
            expect(edges.every(each => each === 7)).toBe(!expected);
          }
        }
      }
    });

    it('says nothing of sentences without labels, or with labels not all of which are known', () => {
      let silent = 0;
      forEachProblem({ sentences: 4, edgeFeatures: 2 }, (contribution, { batch, store }) => {
        for (let s = 0; s < 4; s += 1) {
          if (batch.labelled[s] === 1) continue;
          silent += 1;
          expect(contribution.losses[s]).toBe(0);
          const residuals = residualsOf(contribution, s, store.labels).flat();
          expect(residuals.every(each => each === 0)).toBe(true);
        }
      });
      expect(silent).toBeGreaterThan(40);
    });

    it.each(normalised ? [1] : [])('is 0 where there is %i label only', () => {
      forEachProblem({ labels: 1, labelled: true }, (contribution, { batch, store }) => {
        expect(Math.abs(contribution.loss)).toBeLessThan(tolerance);
        const own = contribution.residual.subarray(0, batch.tokens * store.width);
        expect(own.every(each => Math.abs(each) < rounding)).toBe(true);
      });
    });

    it('leaves the weights, and their version, as they are', () => {
      const place = new KernelPlace(kernel);
      const shape = { scorer, edgeFeatures: 2, stateRows: 6 };
      const { store, batch } = randomProblem(new Random(74), shape, place);
      const before = [store.weights.state, store.weights.edges, store.weights.pairs].map(table =>
        table.view.slice(),
      );
      const { version, scale } = store;
      const contribution = contributionOf(kernel, store, place.lattice(), batch, loss, true);
      const after = [store.weights.state, store.weights.edges, store.weights.pairs];
      expect(after.map(table => table.view)).toEqual(before);
      expect([store.version, store.scale, contribution.version]).toEqual([version, scale, version]);
    });
  });
}
