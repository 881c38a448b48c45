import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { randomProblem } from '../../contracts/oracle/problems/problem.js';
import { sumMatrices } from '../../contracts/oracle/sum-matrices.js';

/** `[T][L]`: 1 at the labels of `path`. */
function nodeIndicator(path: ArrayLike<number>, labels: number): number[][] {
  return Array.from({ length: path.length }, (_, t) =>
    Array.from({ length: labels }, (_, y) => (path[t] === y ? 1 : 0)),
  );
}

/** `[T - 1][L][L]`: 1 at the label pairs of `path`. */
function edgeIndicator(path: ArrayLike<number>, labels: number): number[][][] {
  return Array.from({ length: path.length - 1 }, (_, t) =>
    Array.from({ length: labels }, (_, from) =>
      Array.from({ length: labels }, (_, to) => (path[t] === from && path[t + 1] === to ? 1 : 0)),
    ),
  );
}

function minus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, i) => value - b[i]!);
}

describe.each(kernelRows)('perceptron loss with the $name kernel', ({ kernel, tolerance }) => {
  it('is score(best) - score(gold), its residual indicator(best) - indicator(gold)', () => {
    const random = new Random(30);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    let wrong = 0;
    let slots = 0;
    for (let i = 0; i < 300; i += 1) {
      const { store, batch, scores } = randomProblem(random, {}, place);
      const { labels } = store;
      const contribution = contributionOf(kernel, store, lattice, batch, perceptronLoss, true);
      for (const [s, sentence] of batch.sentences.entries()) {
        const chain = new Enumeration(scores[s]!);
        const read = new LatticeReader(lattice, s);
        if (batch.labelled[s] === 0) {
          expect(contribution.losses[s]).toBe(0);
          continue;
        }
        const gold = sentence.gold!;
        const loss = chain.perceptronLoss(gold);
        expect(difference([contribution.losses[s]!], [loss])).toBeLessThanOrEqual(tolerance);
        if (chain.margin < 10 * tolerance) continue;
        expect(read.labels(contribution.predicted!)).toEqual(chain.best);
        if (loss > 0) wrong += 1;
        else expect(contribution.losses[s]).toBe(0);
        const nodes = minus(
          nodeIndicator(chain.best, labels).flat(),
          nodeIndicator(gold, labels).flat(),
        );
        expect(read.nodes().flat()).toEqual(nodes);
        const best = edgeIndicator(chain.best, labels);
        const right = edgeIndicator(gold, labels);
        expect(read.summedEdges().flat()).toEqual(
          minus(sumMatrices(best, labels).flat(), sumMatrices(right, labels).flat()),
        );
        for (let t = 1; t < read.length; t += 1) {
          const edges = read.edgesInto(t);
          if (edges === undefined) continue;
          slots += 1;
          expect(edges.flat()).toEqual(minus(best[t - 1]!.flat(), right[t - 1]!.flat()));
        }
      }
    }
    // Enough of both for the comparison to mean something.
    expect(wrong).toBeGreaterThan(100);
    expect(slots).toBeGreaterThan(100);
  });

  it('has a residual at zero weights, where the loss is 0 and yet the best labels are not gold', () => {
    const place = new KernelPlace(kernel);
    const shape = { labels: 3, labelCapacity: 3, spread: 0, sentences: 1, labelled: true };
    const { store, batch } = randomProblem(new Random(32), shape, place);
    batch.gold.fill(2);
    const contribution = contributionOf(kernel, store, place.lattice(), batch, perceptronLoss);
    expect(contribution.loss).toBe(0);
    // Of equally good sequences the lowest labels win.
    for (let t = 0; t < batch.tokens; t += 1) {
      expect(Array.from(contribution.residual.subarray(t * 4, t * 4 + 4))).toEqual([1, 0, -1, 0]);
    }
  });

  it('is 0 with a residual of 0 where the best labels are gold', () => {
    const random = new Random(31);
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    for (let i = 0; i < 50; i += 1) {
      const { store, batch } = randomProblem(random, { labels: 1, labelled: true }, place);
      const contribution = contributionOf(kernel, store, lattice, batch, perceptronLoss);
      expect(contribution.loss).toBe(0);
      const plane = store.addPlane();
      for (let s = 0; s < batch.sentences.length; s += 1) {
        kernel.accumulate(store, plane, contribution, s, 1);
      }
      for (const table of ['state', 'edges', 'pairs'] as const) {
        expect(plane[table].view.every(value => value === 0)).toBe(true);
      }
    }
  });
});
