import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../src/engine/kernels/lattice.js';
import { referenceKernel } from '../../../src/engine/kernels/reference/reference-kernel.js';
import {
  AdaptiveSteps,
  CompositePenalty,
} from '../../../src/engine/kernels/rows/adaptive-steps.js';
import { tables } from '../../../src/engine/kernels/rows/coalesced-gradient.js';
import { SimdKernel } from '../../../src/engine/kernels/simd/simd-kernel.js';
import { CreationTimes } from '../../../src/engine/kernels/store/creation-times.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import type { ChainScores } from './chain-scores.js';
import { Deviations } from './differences/deviations.js';
import { float64Copy } from './kernels/float64-copy.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { drawnScores } from './problems/drawn-scores.js';
import { givenScores } from './problems/given-scores.js';
import { type LargeProblem, type LargeShape, largeProblem } from './problems/large-problem.js';
import { roundedScores } from './problems/rounded-scores.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each precision, and sentences of scores that are given: some, or all there are to be. */
const problems = full ? 10_000 : 20;
const drawn = full ? 200 : 25;
/** Labels and tokens of a sentence at most: tails of four and of eight labels come with few of them too. */
const [mostLabels, mostTokens] = full ? [200, 300] : [70, 100];

const rows = [
  { name: 'float64', kernel: new SimdKernel('float64'), tolerance: 1e-12 },
  { name: 'float32', kernel: new SimdKernel('float32'), tolerance: 1e-4 },
] as const;

/** One side of the comparison: a kernel, and the lattice that it scores. */
interface Scored {
  readonly kernel: Kernel;
  readonly lattice: Lattice;
}

/** The same with the problem that it was scored from. */
interface Side extends Scored, LargeProblem {}

/** What happened over all problems. */
class Findings {
  readonly deviations = new Deviations();
  sentences = 0;
  /** Sentences that went to log space in the SIMD kernel. */
  fallbacks = 0;
  /** Sentences whose best paths differed, their scores being equal within the tolerance. */
  tied = 0;

  toString(): string {
    const { sentences, fallbacks, tied, deviations } = this;
    return `${sentences} sentences, ${fallbacks} in log space, ${tied} tied; ${deviations}`;
  }
}

/** log Z; whether it took the log-space recursion. */
function marginals({ kernel, lattice }: Scored, s: number): { logZ: number; inLogSpace: boolean } {
  const scaled = kernel.forwardBackwardScaled(lattice, s);
  const inLogSpace = Number.isNaN(scaled);
  return { logZ: inLogSpace ? kernel.forwardBackwardLog(lattice, s) : scaled, inLogSpace };
}

function compareInference(simd: Scored, reference: Scored, s: number, found: Findings): void {
  const { deviations } = found;
  const [a, b] = [marginals(simd, s), marginals(reference, s)];
  found.sentences += 1;
  if (a.inLogSpace) found.fallbacks += 1;
  expect(Number.isFinite(b.logZ)).toBe(true);
  const where = a.inLogSpace ? ' (log space)' : '';
  deviations.note(`log Z${where}`, [a.logZ], [b.logZ]);
  const { width, matrixSize, labels, batch, edgeSlots } = reference.lattice;
  const [first, end] = [batch!.sentenceStarts[s]!, batch!.sentenceStarts[s + 1]!];
  const part = (table: 'nodes' | 'transitions' | 'edges', from: number, to: number) =>
    [
      simd.lattice[table].view.subarray(from, to),
      reference.lattice[table].view.subarray(from, to),
    ] as const;
  deviations.note(`nodes${where}`, ...part('nodes', first * width, end * width));
  const sums = part('transitions', s * matrixSize, s * matrixSize + labels * width);
  deviations.note(`sums of edges${where}`, ...sums);
  for (let t = first; t < end; t += 1) {
    const slot = edgeSlots[t]!;
    if (slot < 0) continue;
    const edges = part('edges', slot * matrixSize, slot * matrixSize + labels * width);
    deviations.note(`edges${where}`, ...edges);
  }
}

function comparePaths(
  simd: Side,
  reference: Side,
  s: number,
  tolerance: number,
  found: Findings,
): void {
  const { gold, tokens, sentenceStarts } = reference.batch;
  const [a, b] = [simd, reference].map(({ kernel, lattice }) => {
    const path = new Int32Array(tokens);
    return {
      path,
      best: kernel.viterbi(lattice, s, path),
      given: kernel.pathScore(lattice, s, gold),
    };
  });
  found.deviations.note('Viterbi score', [a!.best], [b!.best]);
  found.deviations.note('path score', [a!.given], [b!.given]);
  const [first, end] = [sentenceStarts[s]!, sentenceStarts[s + 1]!];
  const same = a!.path.subarray(first, end).every((label, t) => label === b!.path[first + t]);
  if (same) return;
  found.tied += 1;
  // Another path is right where it is as good: by the reference's own scores.
  const score = reference.kernel.pathScore(reference.lattice, s, a!.path);
  expect(b!.best - score).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(b!.best)));
}

/** Gradients of the log loss and penalties of each sentence in turn, on the weights themselves. */
function compareUpdates(simd: Side, reference: Side, found: Findings): void {
  const states = [simd, reference].map(({ kernel, store, lattice, batch }) => {
    const gradient = store.addPlane();
    const received = store.addPlane();
    const creationTimes = new CreationTimes();
    creationTimes.note(store, 0);
    const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
    for (let s = 0; s < batch.sentences.length; s += 1) {
      kernel.accumulate(store, gradient, contribution, s, -0.3);
      const penalty = { received, total: 0.02 * (s + 1), creationTimes };
      kernel.applyCumulativePenalty(store, penalty, contribution, s);
    }
    return { gradient, received, weights: store.weights, losses: contribution.losses };
  });
  const [a, b] = states;
  found.deviations.note('losses', a!.losses, b!.losses);
  for (const table of ['state', 'edges', 'pairs'] as const) {
    found.deviations.note('gradients', a!.gradient[table].view, b!.gradient[table].view);
    found.deviations.note('penalised', a!.weights[table].view, b!.weights[table].view);
    found.deviations.note('penalties', a!.received[table].view, b!.received[table].view);
  }
}

/** Penalties whose charges take each way: next to nothing, L1 alone, both, most of a weight at once. */
const composites = [
  new CompositePenalty({ eta0: 0.1, delta: 0.1, l1: 0, l2: 0.05 }, 10_000),
  new CompositePenalty({ eta0: 0.2, delta: 0.1, l1: 0.5, l2: 0 }, 100),
  new CompositePenalty({ eta0: 0.5, delta: 1, l1: 0.5, l2: 0.5 }, 1000),
  new CompositePenalty({ eta0: 2, delta: 0.01, l1: 0.3, l2: 3 }, 30),
];
const missed = [0, 1, 40, 3000, 1_000_000];

/** Adaptive steps and charges of each sentence in turn, with sentences between them in which none of its features is. */
function compareAdaptiveSteps(simd: Side, reference: Side, i: number, found: Findings): void {
  const penalty = composites[i % composites.length]!;
  const states = [simd, reference].map(({ kernel, store, lattice, batch }) => {
    const steps = new AdaptiveSteps(store, penalty);
    steps.clocks.reserve();
    const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
    for (let s = 0; s < batch.sentences.length; s += 1) {
      steps.sentences += missed[(i + s) % missed.length]!;
      kernel.chargeAdaptively(store, steps, batch, s);
      kernel.stepAdaptively(store, steps, contribution, s);
      steps.sentences += 1 + missed[(i + 2 * s) % missed.length]!;
      // Again, without a charge before: as in a minibatch.
      kernel.stepAdaptively(store, steps, contribution, s);
      steps.sentences += 2;
    }
    const copy = store.emptyCopy().weights;
    for (const table of tables)
      copy[table].view.set(store.weights[table].view.subarray(0, copy[table].numbers));
    kernel.chargeCopy(steps, copy);
    const adapted = tables.map(table => store.weights[table].view.slice());
    kernel.chargeCopy(steps, store.weights);
    for (const table of tables) {
      const charged = store.weights[table].view.subarray(0, copy[table].numbers);
      expect(charged).toEqual(copy[table].view.subarray(0, charged.length));
    }
    return { steps, copy, adapted };
  });
  const [a, b] = states;
  for (const [k, table] of tables.entries()) {
    found.deviations.note('squares', a!.steps.squares[table].view, b!.steps.squares[table].view);
    found.deviations.note('adapted', a!.adapted[k]!, b!.adapted[k]!);
    found.deviations.note('charged', a!.copy[table].view, b!.copy[table].view);
  }
}

const corners = [
  [1, 1],
  [mostLabels, mostTokens],
  [1, mostTokens],
  [mostLabels, 1],
  [2, mostTokens],
] as const;

/** Sizes from the corners first, then so that each order of magnitude comes as often as another. */
function shapeOf(random: Random, i: number, bounds: readonly number[]): LargeShape {
  const upTo = (limit: number) => Math.ceil(limit ** random.uniform());
  const [labels, longest] = corners[i] ?? [upTo(mostLabels), upTo(mostTokens)];
  const lengths = [longest, ...Array.from({ length: random.below(3) }, () => upTo(longest))];
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  // Each token with edge features takes matrices of its own: not too many of large ones.
  const slots = Math.min(tokens, (full ? 300_000 : 60_000) / labels ** 2);
  const edgeShare = random.below(2) === 0 ? slots / tokens : 0;
  return { labels, lengths, bound: bounds[random.below(bounds.length)]!, edgeShare };
}

/** Compares on `count` random problems with scores within one of the bounds. */
function compareRandom(
  { kernel, tolerance }: (typeof rows)[number],
  count: number,
  bounds: readonly number[],
): Findings {
  const random = new Random(100);
  const found = new Findings();
  let place = new KernelPlace(kernel);
  let lattice = place.lattice();
  let reference = new KernelPlace(referenceKernel).lattice();
  for (let i = 0; i < count; i += 1) {
    // Stores are never given back: a memory has room for some hundred of these.
    if (i % 50 === 0) {
      place = new KernelPlace(kernel);
      lattice = place.lattice();
      reference = new KernelPlace(referenceKernel).lattice();
    }
    const { store, batch } = largeProblem(random, shapeOf(random, i, bounds), place);
    const simd = { kernel, store, lattice, batch };
    const copy = float64Copy(store);
    const plain = { kernel: referenceKernel, store: copy, lattice: reference, batch };
    for (const side of [simd, plain]) {
      scoreBatch(side.kernel, side.store, side.lattice, batch);
      side.kernel.exponentiate(side.lattice);
    }
    for (let s = 0; s < batch.sentences.length; s += 1) {
      compareInference(simd, plain, s, found);
      comparePaths(simd, plain, s, tolerance, found);
    }
    compareUpdates(simd, plain, found);
    compareAdaptiveSteps(simd, plain, i, found);
  }
  if (full) console.log(`${kernel.precision}, scores within ${bounds}: ${found}`);
  return found;
}

describe.each(rows)('SIMD in $name against the reference', row => {
  const { kernel, tolerance } = row;

  it(`agrees on ${problems} random problems with scores within ten`, { tags: 'slow' }, () => {
    const found = compareRandom(row, problems, [1, 10, 10]);
    expect(found.deviations.beyond(tolerance)).toEqual([]);
    expect(found.sentences).toBeGreaterThan(1.5 * problems);
    expect(found.tied).toBeLessThan(found.sentences / 100);
  });

  it('agrees where larger scores take some sentences to log space', () => {
    const found = compareRandom(row, problems / 10, [50, 100, 300]);
    expect(found.deviations.beyond(tolerance)).toEqual([]);
    expect(found.fallbacks).toBeGreaterThan(0);
    expect(found.fallbacks).toBeLessThan(found.sentences);
  });

  for (const slots of [false, true]) {
    const how = slots ? 'a matrix for each token' : 'one matrix';

    /** Compares both kernels on scores of these sizes; how many sentences went to log space. */
    function comparedOn(draw: (random: Random, labels: number) => ChainScores): Findings {
      const random = new Random(101);
      const found = new Findings();
      for (let i = 0; i < drawn; i += 1) {
        const scores = roundedScores(draw(random, 1 + random.below(20)), kernel.precision);
        const sides = [kernel, referenceKernel].map(each => ({
          kernel: each,
          lattice: givenScores(each, scores, slots),
        }));
        for (const side of sides) side.kernel.exponentiate(side.lattice);
        compareInference(sides[0]!, sides[1]!, 0, found);
      }
      if (full) console.log(`${kernel.precision}, ${how}: ${found}`);
      return found;
    }

    it(`agrees on scores of a thousand either way (${how})`, () => {
      const found = comparedOn((random, labels) => {
        const large = () => [-1000, 0, 1000][random.below(3)]! + random.normal();
        const small = () => random.normal();
        const emission = random.below(2) === 0 ? large : small;
        return drawnScores(1 + random.below(40), labels, !slots, emission, large);
      });
      expect(found.deviations.beyond(tolerance)).toEqual([]);
      expect(found.fallbacks).toBeGreaterThan(drawn / 2);
    });

    it(`agrees on forced labels (${how})`, () => {
      const found = comparedOn((random, labels) => {
        const small = () => random.normal();
        const scores = drawnScores(1 + random.below(40), labels, !slots, small, small);
        const forbidding = [Number.NEGATIVE_INFINITY, -1e4, -1e30][random.below(3)]!;
        const emissions = scores.emissions.map(row => {
          const forced = random.below(3) > 0 ? random.below(labels) : -1;
          return row.map((score, y) => (forced < 0 || y === forced ? score : forbidding));
        });
        return { ...scores, emissions };
      });
      expect(found.deviations.beyond(tolerance)).toEqual([]);
      expect(found.fallbacks).toBeGreaterThan(drawn / 2);
    });
  }
});
