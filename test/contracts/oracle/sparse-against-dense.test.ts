import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { forwardBackward } from '../../../src/engine/inference/forward-backward.js';
import {
  maskToken,
  maskTransitions,
  type TransitionMask,
} from '../../../src/engine/inference/mask-scores.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../src/engine/kernels/lattice.js';
import { SimdKernel } from '../../../src/engine/kernels/simd/simd-kernel.js';
import { everyNth } from '../../house/long-forms.js';
import type { ChainScores } from './chain-scores.js';
import { Deviations } from './differences/deviations.js';
import { drawnScores } from './problems/drawn-scores.js';
import { givenScores } from './problems/given-scores.js';
import { roundedScores } from './problems/rounded-scores.js';

const rows = [
  { name: 'simd float64', kernel: new SimdKernel('float64'), tolerance: 1e-12 },
  { name: 'simd float32', kernel: new SimdKernel('float32'), tolerance: 1e-4 },
] as const;

const full = process.env.TAGSTREAM_FULL === '1';
const sizes = full ? [1, 2, 3, 4, 5, 8, 17, 33, 50, 53, 120] : [1, 2, 3, 5, 17, 50];
const lengths = full ? [1, 2, 3, 10, 40, 200] : [1, 2, 24];
const densities = full ? [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 1] : [0, 0.05, 0.3, 1];

/** Marginals and best paths of a sentence by one form of the recursions. */
function found(kernel: Kernel, lattice: Lattice, form: Lattice['transitionForm']) {
  lattice.transitionForm = form;
  const { tokens } = lattice.batch!;
  const path = new Int32Array(tokens);
  const best = kernel.viterbi(lattice, 0, path);
  kernel.exponentiate(lattice);
  const inLogs = Number.isNaN(kernel.forwardBackwardScaled(lattice, 0));
  const logZ = forwardBackward(kernel, lattice, 0);
  const [nodes, sums] = [lattice.nodes.view.slice(), lattice.transitions.view.slice()];
  return { path, best, logZ, nodes, sums, inLogs };
}

/** Compares both forms on lattices of the same scores; how many went to log space. */
function compare(kernel: Kernel, deviations: Deviations, make: () => Lattice): number {
  const [dense, sparse] = [found(kernel, make(), 'dense'), found(kernel, make(), 'sparse')];
  expect([...sparse.path]).toEqual([...dense.path]);
  expect(sparse.best).toBe(dense.best);
  deviations.note('log Z', [sparse.logZ], [dense.logZ]);
  deviations.note('nodes', sparse.nodes, dense.nodes);
  deviations.note('sums of edges', sparse.sums, dense.sums);
  return sparse.inLogs ? 1 : 0;
}

/** Random scores of which a share of the transitions is not 0. */
function problems(seed: number, weight: (random: Random) => number): ChainScores[] {
  const random = new Random(seed);
  const all: ChainScores[] = [];
  for (const labels of sizes) {
    for (const length of lengths) {
      for (const density of densities) {
        const transition = () => (random.uniform() < density ? weight(random) : 0);
        all.push(drawnScores(length, labels, true, () => 2 * random.normal(), transition));
      }
    }
  }
  return all;
}

/** What a tag scheme may forbid: pairs, and labels at the ends. Label 0 is free. */
function randomMask(random: Random, labels: number): TransitionMask {
  const pairs: number[] = [];
  for (let from = 0; from < labels; from += 1) {
    for (let to = 1; to < labels; to += 1) {
      const isInside = to % 2 === 0;
      if (isInside && from !== to && from !== to - 1) pairs.push(from, to);
    }
  }
  const chosen = (share: number) =>
    Uint32Array.from({ length: labels - 1 }, (_, y) => y + 1).filter(
      () => random.uniform() < share,
    );
  return { pairs: Uint32Array.from(pairs), first: chosen(0.3), last: chosen(0.2), connected: true };
}

describe.each(rows)('$name by lists of active transitions', ({ kernel, tolerance }) => {
  const scoresOf = (scores: ChainScores) => roundedScores(scores, kernel.precision);

  for (const { rows, tags } of everyNth(2, [
    ['of either sign', (random: Random) => random.normal()],
    ['far below 0', (random: Random) => [-3, -8, -30][random.below(3)]! * random.uniform()],
    ['far above 0', (random: Random) => 12 * random.uniform()],
    ['of every size', (random: Random) => 6 * random.normal()],
  ])) {
    it.each(rows)('agrees with all transitions, for weights %s', { tags }, (_, weight) => {
      const deviations = new Deviations();
      for (const scores of problems(3, weight)) {
        compare(kernel, deviations, () => givenScores(kernel, scoresOf(scores), false));
      }
      expect(deviations.beyond(tolerance)).toEqual([]);
    });
  }

  it('agrees where one label has nearly all of the mass, and few may follow it', () => {
    const random = new Random(4);
    const deviations = new Deviations();
    for (let i = 0; i < 40; i += 1) {
      const labels = 2 + random.below(50);
      const peak = random.below(labels);
      const transition = () => (random.uniform() < 0.05 ? random.normal() : 0);
      const drawn = drawnScores(20, labels, true, () => random.normal(), transition);
      const emissions = drawn.emissions.map(row =>
        row.map((score, y) => (y === peak ? 25 + score : score)),
      );
      const matrix = drawn.transitions[0]!.map((row, from) =>
        row.map((score, to) =>
          from === peak && random.below(2) === 0 && to !== peak ? -20 : score,
        ),
      );
      const scores = scoresOf({ emissions, transitions: drawn.transitions.map(() => matrix) });
      compare(kernel, deviations, () => givenScores(kernel, scores, false));
    }
    expect(deviations.beyond(tolerance)).toEqual([]);
  });

  it('agrees on forbidden transitions, ends and labels', { tags: 'slow' }, () => {
    const deviations = new Deviations();
    const random = new Random(5);
    for (const scores of problems(6, each => each.normal())) {
      const labels = scores.emissions[0]!.length;
      const mask = randomMask(random, labels);
      const token = random.below(scores.emissions.length);
      const allowed = Uint8Array.from({ length: labels }, (_, y) => (y % 3 === 0 ? 1 : 0));
      for (const isTokenMasked of [false, true]) {
        compare(kernel, deviations, () => {
          const lattice = givenScores(kernel, scoresOf(scores), false);
          maskTransitions(lattice, mask);
          if (isTokenMasked) maskToken(lattice, token, allowed);
          return lattice;
        });
      }
    }
    expect(deviations.beyond(tolerance)).toEqual([]);
  });

  it('goes to log space on scores of a thousand either way', () => {
    const deviations = new Deviations();
    const random = new Random(7);
    let inLogs = 0;
    for (let i = 0; i < 30; i += 1) {
      const large = () => [-1000, 0, 1000][random.below(3)]! + random.normal();
      const transition = () => (random.uniform() < 0.1 ? large() : 0);
      const scores = drawnScores(12, 1 + random.below(20), true, large, transition);
      inLogs += compare(kernel, deviations, () => givenScores(kernel, scoresOf(scores), false));
    }
    expect(deviations.beyond(tolerance)).toEqual([]);
    expect(inLogs).toBeGreaterThan(10);
  });
});
