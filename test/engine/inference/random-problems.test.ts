import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward } from '../../../src/engine/inference/forward-backward.js';
import { entropyShares } from '../../../src/engine/inference/marginals/entropy-shares.js';
import { posteriorDecode } from '../../../src/engine/inference/posterior-decode.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { marginalDifference } from '../../contracts/oracle/differences/marginal-difference.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { KernelPlace, placesFor } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { type ProblemShape, randomProblem } from '../../contracts/oracle/problems/problem.js';
import { everyNth } from '../../house/long-forms.js';
import { edgeMarginals } from './edge-marginals.js';

const full = process.env.TAGSTREAM_FULL === '1';

const families: [string, number, Partial<ProblemShape>][] = [
  ['of every kind', full ? 10_000 : 240, {}],
  ['with edge features', 80, { edgeFeatures: 3, support: 'all' }],
  ['with pairs of edge features', 80, { edgeFeatures: 3, support: 'observed' }],
  ['without plain transitions', 40, { transitions: false }],
  ['of one token', 40, { longest: 1 }],
  ['of one label', 40, { labels: 1 }],
  ['without any state feature', 40, { stateRows: 0 }],
  ['without any feature or transition', 10, { stateRows: 0, edgeFeatures: 0, transitions: false }],
  ['of a dozen sentences', 10, { sentences: 12 }],
];

describe.each(kernelRows)('$name kernel on random problems', ({ kernel, tolerance }) => {
  for (const { rows, tags } of everyNth(50, families)) {
    describe.each(rows)('%s', { tags }, (_, count, shape) => {
      for (const space of ['auto', 'log'] as const) {
        it(`has log Z and marginals of the enumeration (${space})`, () => {
          const random = new Random(1);
          // One lattice serves many problems, so that what an earlier batch left behind would show.
          for (const { place, lattice } of placesFor(kernel, count)) {
            const { store, batch, scores } = randomProblem(random, shape, place);
            scoreBatch(kernel, store, lattice, batch);
            for (const [s, chain] of scores.map(each => new Enumeration(each)).entries()) {
              const logZ = forwardBackward(kernel, lattice, s, space);
              expect(marginalDifference(lattice, s, logZ, chain)).toBeLessThanOrEqual(tolerance);
            }
          }
        });
      }

      it('has all edge marginals of the enumeration', () => {
        const random = new Random(2);
        for (const { place, lattice } of placesFor(kernel, count)) {
          const { store, batch, scores } = randomProblem(random, shape, place);
          scoreBatch(kernel, store, lattice, batch);
          for (const [s, each] of scores.entries()) {
            const logZ = forwardBackward(kernel, lattice, s, 'log');
            const edges = edgeMarginals(lattice, s, logZ).flat(2);
            const expected = new Enumeration(each).edges.flat(2);
            expect(difference(edges, expected)).toBeLessThanOrEqual(tolerance);
          }
        }
      });

      it('divides the entropy of the sequence between its tokens', () => {
        const random = new Random(4);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        for (let i = 0; i < Math.min(count, 240); i += 1) {
          const { store, batch, scores } = randomProblem(random, shape, place);
          scoreBatch(kernel, store, lattice, batch);
          for (const [s, each] of scores.entries()) {
            const chain = new Enumeration(each);
            for (const space of ['auto', 'log'] as const) {
              const shares = [...entropyShares(kernel, lattice, s, space)];
              expect(difference(shares, chain.entropyShares())).toBeLessThanOrEqual(1e-4);
              const total = shares.reduce((sum, share) => sum + share, 0);
              expect(difference([total], [chain.entropy()])).toBeLessThanOrEqual(1e-4);
            }
          }
        }
      });

      it('decodes and scores paths as the enumeration does', () => {
        const random = new Random(3);
        for (const { place, lattice } of placesFor(kernel, count)) {
          const { store, batch, scores } = randomProblem(random, shape, place);
          scoreBatch(kernel, store, lattice, batch);
          const labels = new Int32Array(batch.tokens).fill(-7);
          const given = Int32Array.from(labels, () => random.below(store.labels));
          const likeliest = new Int32Array(batch.tokens).fill(-7);
          for (const [s, each] of scores.entries()) {
            const chain = new Enumeration(each);
            const read = new LatticeReader(lattice, s);
            const score = kernel.viterbi(lattice, s, labels);
            expect(difference([score], [chain.bestScore])).toBeLessThanOrEqual(tolerance);
            const path = read.labels(labels);
            expect(difference([chain.pathScore(path)], [score])).toBeLessThanOrEqual(tolerance);
            if (chain.margin > 10 * tolerance) expect(path).toEqual(chain.best);
            const found = kernel.pathScore(lattice, s, given);
            const expected = chain.pathScore(read.labels(given));
            expect(difference([found], [expected])).toBeLessThanOrEqual(tolerance);
            forwardBackward(kernel, lattice, s);
            posteriorDecode(lattice, s, likeliest);
            for (const [t, y] of read.labels(likeliest).entries()) {
              const highest = Math.max(...chain.nodes[t]!);
              expect(chain.nodes[t]![y]!).toBeGreaterThan(highest - 10 * tolerance);
            }
          }
          // Each sentence has written its own tokens, and nothing is left unwritten.
          expect(labels.includes(-7) || likeliest.includes(-7)).toBe(false);
        }
      });
    });
  }
});
