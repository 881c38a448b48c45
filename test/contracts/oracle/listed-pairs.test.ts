import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../src/engine/kernels/lattice.js';
import { everyNth } from '../../house/long-forms.js';
import { Deviations } from './differences/deviations.js';
import { Enumeration } from './enumeration.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { kernelsWithLists } from './kernels/kernels.js';
import { type LargeShape, largeProblem } from './problems/large-problem.js';
import { randomProblem } from './problems/problem.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Sentences with lists for each kernel: some, or all there are to be. */
const sentences = full ? 10_000 : 150;

type Space = 'scaled' | 'log';

/** log Z by one recursion; undefined where the scaled one gives up. */
function logZOf(kernel: Kernel, lattice: Lattice, s: number, space: Space): number | undefined {
  if (space === 'log') return kernel.forwardBackwardLog(lattice, s);
  const logZ = kernel.forwardBackwardScaled(lattice, s);
  return Number.isNaN(logZ) ? undefined : logZ;
}

describe.each(kernelsWithLists)(
  '$name over pairs listed token by token',
  ({ kernel, tolerance }) => {
    for (const { rows, tags } of everyNth(2, ['scaled', 'log'] as const)) {
      it.each(rows)('%s: agrees with enumeration', { tags }, space => {
        const random = new Random(31);
        const deviations = new Deviations();
        let [listed, scaled] = [0, 0];
        let place = new KernelPlace(kernel);
        for (let i = 0; listed < sentences; i += 1) {
          if (i % 200 === 0) place = new KernelPlace(kernel);
          const shape = { support: 'observed', edgeFeatures: 1 + random.below(4) } as const;
          const { store, batch, scores } = randomProblem(random, shape, place);
          const lattice = place.lattice();
          lattice.allowsLists = true;
          lattice.transitionForm = 'sparse';
          scoreBatch(kernel, store, lattice, batch);
          kernel.exponentiate(lattice);
          const { width, matrixSize, pairLists } = lattice;
          for (const [s, chain] of scores.entries()) {
            if (!pairLists.isListed(s)) continue;
            listed += 1;
            const oracle = new Enumeration(chain);
            const first = batch.sentenceStarts[s]!;
            const path = new Int32Array(batch.tokens);
            deviations.note('best', [kernel.viterbi(lattice, s, path)], [oracle.bestScore]);
            const end = batch.sentenceStarts[s + 1]!;
            const found = oracle.pathScore(path.subarray(first, end));
            deviations.note('path', [found], [oracle.bestScore]);
            deviations.note('score', [kernel.pathScore(lattice, s, path)], [found]);
            const logZ = logZOf(kernel, lattice, s, space);
            if (logZ === undefined) continue;
            scaled += 1;
            deviations.note('log Z', [logZ], [oracle.logZ]);
            const sums = new Map<number, number>();
            for (let t = first; t < end; t += 1) {
              const nodes = lattice.nodes.view.subarray(t * width, t * width + store.labels);
              deviations.note('nodes', nodes, oracle.nodes[t - first]!);
              const { starts, pairs } = pairLists;
              for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
                const [from, to] = [pairs[k]! & 65535, pairs[k]! >>> 16];
                const expected = oracle.edges[t - first - 1]![from]![to]!;
                const cell = from * width + to;
                if (k - starts[t]! < pairLists.plain)
                  sums.set(cell, (sums.get(cell) ?? 0) + expected);
                const slot = lattice.edgeSlots[t]!;
                if (slot < 0) continue;
                const actual = lattice.edges.view[slot * matrixSize + cell]!;
                deviations.note('edges', [actual], [expected]);
              }
            }
            for (const [cell, expected] of sums) {
              const actual = lattice.transitions.view[s * matrixSize + cell]!;
              deviations.note('sums of plain pairs', [actual], [expected]);
            }
          }
        }
        expect(scaled).toBeGreaterThan(0.9 * listed);
        expect(deviations.beyond(tolerance)).toEqual([]);
      });
    }

    it.each([
      ['small weights', { labels: 17, lengths: [12, 1, 30], bound: 1, edgeShare: 0.9 }],
      ['many labels', { labels: 53, lengths: [9, 25], bound: 4, edgeShare: 1 }],
      ['large weights', { labels: 20, lengths: [15, 8], bound: 25, edgeShare: 0.7 }],
      ['weights for log space', { labels: 18, lengths: [10], bound: 900, edgeShare: 1 }],
    ] as [string, LargeShape][])(
      'agrees with all transitions: %s',
      { tags: 'slow' },
      (_, shape) => {
        const random = new Random(32);
        const deviations = new Deviations();
        let listed = 0;
        for (let i = 0; i < (full ? 300 : 25); i += 1) {
          const place = new KernelPlace(kernel);
          const { store, batch } = largeProblem(random, { ...shape, support: 'observed' }, place);
          const [lists, dense] = [true, false].map(allowsLists => {
            const lattice = place.lattice();
            lattice.allowsLists = allowsLists;
            lattice.transitionForm = allowsLists ? 'sparse' : 'dense';
            scoreBatch(kernel, store, lattice, batch);
            kernel.exponentiate(lattice);
            return lattice;
          }) as [Lattice, Lattice];
          const { width, labels } = dense;
          for (let s = 0; s < batch.sentences.length; s += 1) {
            if (!lists.pairLists.isListed(s)) continue;
            listed += 1;
            const paths = [lists, dense].map(lattice => {
              const path = new Int32Array(batch.tokens);
              return { score: kernel.viterbi(lattice, s, path), path };
            });
            // The same additions in the same order: to the bit.
            expect(paths[0]).toEqual(paths[1]);
            const spaces = [lists, dense].map(lattice => {
              const logZ = kernel.forwardBackwardScaled(lattice, s);
              return Number.isNaN(logZ) ? kernel.forwardBackwardLog(lattice, s) : logZ;
            });
            deviations.note('log Z', [spaces[0]!], [spaces[1]!]);
            for (let t = batch.sentenceStarts[s]!; t < batch.sentenceStarts[s + 1]!; t += 1) {
              const [a, b] = [lists, dense].map(({ nodes }) =>
                nodes.view.subarray(t * width, t * width + labels),
              );
              deviations.note('nodes', a!, b!);
            }
          }
        }
        expect(listed).toBeGreaterThan(0);
        expect(deviations.beyond(tolerance)).toEqual([]);
      },
    );
  },
);
