import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { scoreBatch } from '../../../src/engine/inference/score-batch.js';
import { wideLattice } from '../../../src/engine/inference/wide-lattice.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import type { Lattice } from '../../../src/engine/kernels/lattice.js';
import type { Pruning } from '../../../src/engine/kernels/pruning/candidates.js';
import type { ParameterStore } from '../../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { everyNth } from '../../house/long-forms.js';
import type { ChainScores } from './chain-scores.js';
import { Deviations } from './differences/deviations.js';
import { Enumeration } from './enumeration.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { kernelRows } from './kernels/kernels.js';
import { type Problem, randomProblem } from './problems/problem.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Problems for each kernel: a short form, or all there are to be. */
const problems = full ? 10_000 : 150;

/** Lets a store ask for pruning. */
function prune(store: ParameterStore, pruning: Pruning): void {
  (store.layout as { prune?: Pruning }).prune = pruning;
}

function randomPruning(random: Random): Pruning {
  return { most: 1 + random.below(4), ratio: [0.9, 0.3, 0.01][random.below(3)]! };
}

/** The labels of a token that are to be left, by their definition. */
function leftOf(row: readonly number[], { most, ratio }: Pruning, gold: number): number[] {
  const best = Math.max(...row);
  return row.flatMap((score, y) => {
    const ahead = row.filter((other, z) => other > score || (other === score && z < y)).length;
    return y === gold || (ahead < most && score >= best + Math.log(ratio)) ? [y] : [];
  });
}

/** The scores of a sentence with minus infinity for labels that are not left. */
function prunedScores(scores: ChainScores, left: readonly (readonly number[])[]): ChainScores {
  const emissions = scores.emissions.map((row, t) =>
    row.map((score, y) => (left[t]!.includes(y) ? score : Number.NEGATIVE_INFINITY)),
  );
  return { ...scores, emissions };
}

function problemWith(random: Random, place: KernelPlace, labelled = false): Problem {
  const shape = { edgeFeatures: 0, labels: 2 + random.below(4), transitions: true, labelled };
  return randomProblem(random, shape, place);
}

/** The emission scores of a batch before anything is pruned, as the kernel sums them. */
function rowsOf(kernel: Kernel, { store, batch }: Problem, lattice: Lattice): number[][] {
  lattice.whole = new Uint8Array(batch.sentences.length).fill(1);
  scoreBatch(kernel, store, lattice, batch);
  lattice.whole = undefined;
  const { width } = lattice;
  const scores = lattice.emissionScores.view;
  return Array.from({ length: batch.tokens }, (_, t) =>
    Array.from(scores.subarray(t * width, t * width + store.labels)),
  );
}

describe.each(kernelRows)('$name over labels that pruning has left', ({ kernel, tolerance }) => {
  for (const part of everyNth(2, [
    ['the scores of the lattice', false],
    ['the weights', true],
  ])) {
    it.each(part.rows)(
      'agrees with enumeration, transitions from %s',
      { tags: part.tags },
      (_, allowsLists) => {
        const random = new Random(71);
        const deviations = new Deviations();
        let dropped = 0;
        let place = new KernelPlace(kernel);
        for (let i = 0; i < problems; i += 1) {
          if (i % 50 === 0) place = new KernelPlace(kernel);
          const problem = problemWith(random, place);
          const { store, batch, scores } = problem;
          const pruning = randomPruning(random);
          prune(store, pruning);
          const lattice = place.lattice();
          lattice.allowsLists = allowsLists;
          const rows = rowsOf(kernel, problem, lattice);
          lattice.keepsGold = random.below(2) === 0;
          const fixed =
            random.below(3) === 0
              ? Int32Array.from({ length: batch.tokens }, () => random.below(store.labels + 2) - 2)
              : undefined;
          scoreBatch(kernel, store, lattice, Object.assign(batch, { fixed }));
          kernel.exponentiate(lattice);
          for (const [s, chain] of scores.entries()) {
            const first = batch.sentenceStarts[s]!;
            const end = batch.sentenceStarts[s + 1]!;
            const isPartial = batch.labelled[s] === 1 && batch.gold[first] === -1;
            expect(lattice.candidates.isPruned(s)).toBe(!isPartial);
            if (isPartial) continue;
            const left = rows.slice(first, end).map((row, t) => {
              const only = fixed?.[first + t] ?? -1;
              if (only >= 0) return [only];
              const keeps = lattice.keepsGold && fixed === undefined;
              return leftOf(row, pruning, keeps ? batch.gold[first + t]! : -1);
            });
            const { starts, labels } = lattice.candidates;
            for (let t = first; t < end; t += 1) {
              const found = [...labels.subarray(starts[t], starts[t + 1])];
              expect(found).toEqual(left[t - first]);
              dropped += store.labels - found.length;
            }
            const oracle = new Enumeration(prunedScores(chain, left));
            const path = new Int32Array(batch.tokens);
            deviations.note('best', [kernel.viterbi(lattice, s, path)], [oracle.bestScore]);
            const found = oracle.pathScore(path.subarray(first, end));
            deviations.note('path', [found], [oracle.bestScore]);
            deviations.note('score', [kernel.pathScore(lattice, s, path)], [found]);
            for (const space of ['forwardBackwardScaled', 'forwardBackwardLog'] as const) {
              deviations.note(space, [kernel[space](lattice, s)], [oracle.logZ]);
              noteMarginals(deviations, lattice, s, oracle);
            }
            const wide = allowsLists ? { kernel, lattice } : wideLattice(kernel, lattice);
            wide.kernel.exponentiate(wide.lattice);
            const wideLogZ = wide.kernel.forwardBackwardScaled(wide.lattice, s);
            deviations.note('wide log Z', [wideLogZ], [oracle.logZ]);
          }
        }
        expect(dropped).toBeGreaterThan(problems);
        expect(deviations.beyond(tolerance)).toEqual([]);
      },
    );
  }

  it('leaves the first of equal scores, among many labels', { tags: 'slow' }, () => {
    const random = new Random(73);
    let ties = 0;
    let place = new KernelPlace(kernel);
    for (let i = 0; i < problems; i += 1) {
      if (i % 50 === 0) place = new KernelPlace(kernel);
      const shape = { edgeFeatures: 0, labels: 3 + random.below(70), transitions: true };
      const problem = randomProblem(random, shape, place);
      const { store, batch } = problem;
      const table = store.weights.state.view;
      for (let j = 0; j < table.length; j += 1) table[j] = Math.round(table[j]!);
      const pruning = { ...randomPruning(random), most: 1 + random.below(9) };
      prune(store, pruning);
      const lattice = place.lattice();
      const rows = rowsOf(kernel, problem, lattice);
      lattice.keepsGold = random.below(2) === 0;
      scoreBatch(kernel, store, lattice, batch);
      const { starts, labels } = lattice.candidates;
      const scores = lattice.emissionScores.view;
      for (let s = 0; s + 1 < batch.sentenceStarts.length; s += 1) {
        if (!lattice.candidates.isPruned(s)) continue;
        for (let t = batch.sentenceStarts[s]!; t < batch.sentenceStarts[s + 1]!; t += 1) {
          const row = rows[t]!;
          const left = leftOf(row, pruning, lattice.keepsGold ? batch.gold[t]! : -1);
          expect([...labels.subarray(starts[t], starts[t + 1])]).toEqual(left);
          const from = t * lattice.width;
          const expected = row.map((score, y) =>
            left.includes(y) ? score : Number.NEGATIVE_INFINITY,
          );
          expect([...scores.subarray(from, from + store.labels)]).toEqual(expected);
          const last = Math.min(...left.map(y => row[y]!));
          if (row.some((score, y) => score === last && !left.includes(y))) ties += 1;
        }
      }
    }
    expect(ties).toBeGreaterThan(problems);
  });

  it('leaves the residuals of the pruned lattice, which updates take', () => {
    const random = new Random(72);
    const deviations = new Deviations();
    let place = new KernelPlace(kernel);
    for (let i = 0; i < problems; i += 1) {
      if (i % 50 === 0) place = new KernelPlace(kernel);
      const problem = problemWith(random, place, true);
      const { store, batch, scores } = problem;
      const pruning = randomPruning(random);
      prune(store, pruning);
      const lattice = place.lattice();
      const rows = rowsOf(kernel, problem, lattice);
      const loss = random.below(3) === 0 ? perceptronLoss : logLoss;
      const plane = store.addPlane();
      const made = contributionOf(kernel, store, lattice, batch, loss);
      const kept = random.below(2) === 0 ? made.detach() : made;
      const expected = new Float64Array(store.labels ** 2);
      for (const [s, chain] of scores.entries()) {
        const first = batch.sentenceStarts[s]!;
        const length = batch.sentenceStarts[s + 1]! - first;
        const gold = batch.gold.subarray(first, first + length);
        const left = rows
          .slice(first, first + length)
          .map((row, t) => leftOf(row, pruning, gold[t]!));
        const oracle = new Enumeration(prunedScores(chain, left));
        const most = loss === logLoss ? oracle.logZ : oracle.bestScore;
        deviations.note('loss', [made.losses[s]!], [most - oracle.pathScore(gold)]);
        for (let t = 1; t < length; t += 1) {
          for (let from = 0; from < store.labels; from += 1) {
            for (let to = 0; to < store.labels; to += 1) {
              const isBest = oracle.best[t - 1] === from && oracle.best[t] === to;
              const sum = loss === logLoss ? oracle.edges[t - 1]![from]![to]! : Number(isBest);
              const observed = Number(gold[t - 1] === from && gold[t] === to);
              expected[from * store.labels + to]! += sum - observed;
            }
          }
        }
        kernel.accumulate(store, plane, kept, s, -0.5);
      }
      const { width } = store;
      const allowed = store.support?.transitions;
      for (let pair = 0; pair < expected.length; pair += 1) {
        const at = Math.floor(pair / store.labels) * width + (pair % store.labels);
        const own = allowed === undefined || allowed[at] === 1 ? -0.5 * expected[pair]! : 0;
        deviations.note('transitions', [plane.edges.view[at]!], [own]);
      }
    }
    expect(deviations.beyond(tolerance)).toEqual([]);
  });
});

function noteMarginals(
  deviations: Deviations,
  { candidates, batch, nodes, width, labels: count }: Lattice,
  s: number,
  oracle: Enumeration,
): void {
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  let pair = candidates.pairStarts(batch!)[s]!;
  const { starts, labels } = candidates;
  const pairs = candidates.pairs.view;
  for (let t = first; t < end; t += 1) {
    const row = nodes.view.subarray(t * width, t * width + count);
    deviations.note('nodes', row, oracle.nodes[t - first]!);
    for (let i = starts[t - 1] ?? 0; t > first && i < starts[t]!; i += 1) {
      for (let j = starts[t]!; j < starts[t + 1]!; j += 1, pair += 1) {
        const expected = oracle.edges[t - first - 1]![labels[i]!]![labels[j]!]!;
        deviations.note('pairs', [pairs[pair]!], [expected]);
      }
    }
  }
}
