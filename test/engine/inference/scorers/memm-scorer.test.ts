import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { forwardBackward } from '../../../../src/engine/inference/forward-backward.js';
import { NBest } from '../../../../src/engine/inference/n-best.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import { memmScorer } from '../../../../src/engine/inference/scorers/memm-scorer.js';
import { wideLattice } from '../../../../src/engine/inference/wide-lattice.js';
import type { Lattice } from '../../../../src/engine/kernels/lattice.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { placesFor } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../../contracts/oracle/kernels/lattice-reader.js';
import {
  type Problem,
  type ProblemShape,
  randomProblem,
} from '../../../contracts/oracle/problems/problem.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** What a lattice holds of a sentence. */
function potentialsOf(lattice: Lattice, s: number): ChainScores {
  const reader = new LatticeReader(lattice, s);
  const tokens = Array.from({ length: reader.length }, (_, t) => t);
  return { emissions: reader.emissions(), transitions: tokens.map(t => reader.transitionsInto(t)) };
}

const families: [string, Partial<ProblemShape>][] = [
  ['of every kind', {}],
  ['with edge features', { edgeFeatures: 3, labels: 3 }],
  ['without plain transitions', { transitions: false, edgeFeatures: 0 }],
  ['of one token', { longest: 1, edgeFeatures: 2 }],
  ['of one label', { labels: 1, edgeFeatures: 1 }],
  ['of large scores', { spread: 300, labels: 3, stateRows: 6 }],
];

describe.each(kernelRows)('memmScorer with the $name kernel', ({ kernel, tolerance, rounding }) => {
  /** Problems whose potentials are in a lattice, the linear ones in another. */
  function forEachProblem(
    shape: Partial<ProblemShape>,
    check: (problem: Problem, lattice: Lattice, s: number) => void,
  ): void {
    const random = new Random(310);
    const isLong = full && Object.keys(shape).length === 0;
    for (const { place, lattice } of placesFor(kernel, isLong ? 10_000 : 60)) {
      const problem = randomProblem(random, { scorer: 'memm', ...shape }, place);
      scoreBatch(kernel, problem.store, lattice, problem.batch);
      for (let s = 0; s < problem.batch.sentences.length; s += 1) check(problem, lattice, s);
    }
  }

  it.each(families)(
    'makes the probabilities of all sequences sum to 1: %s',
    { tags: 'slow' },
    (_, shape) => {
      const spread = shape.spread ?? 1;
      forEachProblem(shape, ({ scores }, lattice, s) => {
        expect(Math.abs(new Enumeration(potentialsOf(lattice, s)).logZ)).toBeLessThan(
          10 * rounding * spread,
        );
        expect(Math.abs(new Enumeration(scores[s]!).logZ)).toBeLessThan(1e-9);
        expect(Math.abs(forwardBackward(kernel, lattice, s))).toBeLessThan(10 * tolerance * spread);
      });
    },
  );

  it.each(families)(
    'gives each sequence the product of its local distributions: %s',
    { tags: 'slow' },
    (_, shape) => {
      forEachProblem(shape, ({ batch, scores }, lattice, s) => {
        const first = batch.sentenceStarts[s]!;
        const path = new Int32Array(batch.tokens);
        for (const { path: labels, score } of new Enumeration(scores[s]!).ranked.slice(0, 20)) {
          path.set(labels, first);
          const apart = difference([kernel.pathScore(lattice, s, path)], [score]);
          expect(apart).toBeLessThan(tolerance * (shape.spread ?? 1));
        }
      });
    },
  );

  it.each(families)(
    'leaves best path, marginals and n-best those of the enumeration: %s',
    { tags: 'slow' },
    (_, shape) => {
      let clear = 0;
      forEachProblem(shape, ({ batch, scores }, lattice, s) => {
        // Large scores cancel: what is left of them has fewer digits.
        const apart = (shape.spread ?? 1) * tolerance;
        const all = new Enumeration(scores[s]!);
        const labels = new Int32Array(batch.tokens);
        const [first, end] = [batch.sentenceStarts[s]!, batch.sentenceStarts[s + 1]!];
        const score = kernel.viterbi(lattice, s, labels);
        expect(difference([score], [all.bestScore])).toBeLessThan(apart);
        const wide = wideLattice(kernel, lattice);
        const found = new NBest().paths(wide.kernel, wide.lattice, s, 3);
        const expected = all.ranked.slice(0, 3).map(each => each.score);
        expect(
          difference(
            found.map(each => each.score),
            expected,
          ),
        ).toBeLessThan(apart);
        if (all.margin > 0.01) {
          expect([...labels.subarray(first, end)]).toEqual(all.best);
          clear += 1;
        }
        forwardBackward(kernel, lattice, s);
        const nodes = new LatticeReader(lattice, s).nodes();
        for (const [t, row] of nodes.entries()) {
          expect(difference(row, all.nodes[t]!)).toBeLessThan(apart);
        }
      });
      expect(clear).toBeGreaterThan(30);
    },
  );

  it('says what it has subtracted from the linear score of a label', () => {
    forEachProblem({ edgeFeatures: 2 }, ({ store, batch }, lattice, s) => {
      const linear = linearScoresOf(store, batch.sentences[s]!);
      const first = batch.sentenceStarts[s]!;
      for (const [t, row] of potentialsOf(lattice, s).emissions.entries()) {
        const expected = linear.emissions[t]!.map(
          (score, y) => score + memmScorer.surplus!(lattice, first + t, y),
        );
        expect(difference(row, expected)).toBeLessThan(tolerance);
      }
    });
  });
});
