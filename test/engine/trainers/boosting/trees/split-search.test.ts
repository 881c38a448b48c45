import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import {
  previousLabelOf,
  splitOnPrevious,
} from '../../../../../src/engine/kernels/store/regression-tree.js';
import { TreeWalk } from '../../../../../src/engine/kernels/trees/tree-walk.js';
import { ResidualSamples } from '../../../../../src/engine/trainers/boosting/trees/residual-samples.js';
import { TreeCorpus } from '../../../../../src/engine/trainers/boosting/trees/tree-corpus.js';
import {
  SplitSearch,
  TreeGrower,
} from '../../../../../src/engine/trainers/boosting/trees/tree-grower.js';
import { treeObjective } from './tree-problem.js';

const labels = 3;
const l2 = 0.7;
const least = 2;

interface Sample {
  readonly token: number;
  /** By row, the label before among them. */
  readonly active: Set<number>;
  readonly gradients: number[];
  readonly curvatures: number[];
}

/** A corpus with random derivatives, as the search has them and as plain lists. */
function problem(seed: number) {
  const previous = seed % 2 === 0;
  const random = new Random(seed);
  const { objective } = treeObjective({ seed, sentences: 6 });
  const corpus = new TreeCorpus(
    objective.corpus,
    { stateRows: objective.parameters.stateRows, labels: previous ? labels : 0 },
    least,
  );
  const samples = new ResidualSamples(0);
  const plain: Sample[] = [];
  for (let i = 0; i < corpus.tokens * (previous ? 2 : 1); i += 1) {
    const token = previous ? i >> 1 : i;
    const before = previous ? random.below(labels + 1) - 1 : -1;
    if (random.below(4) === 0) continue;
    const gradients = Array.from({ length: labels }, () =>
      random.below(3) > 0 ? random.normal() : 0,
    );
    const curvatures = gradients.map(gradient => (gradient === 0 ? 0 : random.uniform()));
    if (gradients.every(gradient => gradient === 0)) continue;
    let next = samples.starts[samples.size]!;
    for (const [y, gradient] of gradients.entries()) {
      if (gradient === 0) continue;
      samples.labels[next] = y;
      samples.gradients[next] = gradient;
      samples.curvatures[next] = curvatures[y]!;
      next += 1;
    }
    samples.tokens[samples.size] = token;
    samples.previous[samples.size] = before;
    samples.size += 1;
    samples.starts[samples.size] = next;
    const own = corpus.features.subarray(corpus.starts[token]!, corpus.starts[token + 1]!);
    const active = new Set(Array.from(own, feature => corpus.rows[feature]!));
    if (before >= 0) active.add(splitOnPrevious(before) - 1);
    plain.push({ token, active, gradients, curvatures });
  }
  return { corpus, samples, plain };
}

/** What the quadratic model of these samples falls by, twice, with the best step for each label. */
function score(samples: readonly Sample[]): number {
  let sum = 0;
  for (let y = 0; y < labels; y += 1) {
    const gradient = samples.reduce((all, { gradients }) => all + gradients[y]!, 0);
    const curvature = samples.reduce((all, { curvatures }) => all + curvatures[y]!, 0);
    sum += gradient ** 2 / (curvature + l2);
  }
  return sum;
}

/** The gain of each row that may split these samples. */
function gains(samples: readonly Sample[], rows: Uint32Array): [row: number, gain: number][] {
  return Array.from(rows).flatMap((row): [number, number][] => {
    const parts = [true, false].map(has => samples.filter(({ active }) => active.has(row) === has));
    if (parts.some(({ length }) => length < least)) return [];
    return [[row, score(parts[0]!) + score(parts[1]!) - score(samples)]];
  });
}

describe('the search for a split', () => {
  it('finds what a look at each feature of each token finds', () => {
    let found = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const { corpus, samples, plain } = problem(seed);
      const search = new SplitSearch(corpus, labels, { l2, least });
      const order = Uint32Array.from({ length: samples.size }, (_, i) => i);
      const sums = search.sums(samples, order, 0, samples.size);
      const split = search.best(samples, order, 0, samples.size, sums);
      const all = gains(plain, corpus.rows);
      const best = Math.max(0, ...all.map(([, gain]) => gain));
      if (split === undefined) {
        expect(best).toBeLessThan(1e-12);
        continue;
      }
      found += 1;
      const own = all.find(([row]) => row === corpus.rows[split.feature])!;
      expect(split.gain).toBeCloseTo(best, 10);
      expect(own[1]).toBeCloseTo(best, 10);
      // Nothing of one node is left for the next.
      expect(search.best(samples, order, 0, samples.size, sums)).toEqual(split);
    }
    expect(found).toBeGreaterThan(200);
  });
});

describe('a tree', () => {
  it('is grown by the best splits, and steps by Newton in its leaves', () => {
    let splits = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const { corpus, samples, plain } = problem(seed);
      const options = { depth: 4, leaves: 5, leafTokens: least, l2, shrinkage: 0.5 };
      const tree = new TreeGrower(corpus, labels, options).grow(samples)!;
      // Greedy by definition: all leaves are looked at, all rows, and the best is split.
      const leaves = [{ samples: plain, depth: 0 }];
      const taken: number[] = [];
      while (leaves.length < options.leaves) {
        const choices = leaves.flatMap(({ samples: own, depth }, leaf) =>
          depth === options.depth
            ? []
            : gains(own, corpus.rows).map(([row, gain]) => ({ leaf, row, gain })),
        );
        const best = choices.reduce((one, other) => (other.gain > one.gain + 1e-12 ? other : one), {
          ...{ leaf: -1, row: -1, gain: 0 },
        });
        if (best.leaf < 0) break;
        const [{ samples: own, depth }] = leaves.splice(best.leaf, 1) as [(typeof leaves)[0]];
        for (const has of [false, true]) {
          const part = own.filter(({ active }) => active.has(best.row) === has);
          leaves.push({ samples: part, depth: depth + 1 });
        }
        taken.push(best.gain);
      }
      splits += taken.length;
      expect(tree.gains.length).toBe(taken.length);
      const sorted = [...tree.gains].sort((a, b) => a - b);
      for (const [i, gain] of taken.sort((a, b) => a - b).entries()) {
        expect(sorted[i]).toBeCloseTo(gain, 4);
      }
      const walk = new TreeWalk(tree);
      for (const { samples: own } of leaves) {
        for (const { active } of own) {
          const flags = new Uint8Array(1000);
          let before = -1;
          for (const row of active) {
            if (row < flags.length) flags[row] = 1;
            else before = previousLabelOf(row + 1);
          }
          const scores = new Float64Array(labels);
          walk.addTo(walk.leaf(flags, before), scores, 0);
          for (let y = 0; y < labels; y += 1) {
            const gradient = own.reduce((sum, { gradients }) => sum + gradients[y]!, 0);
            const curvature = own.reduce((sum, { curvatures }) => sum + curvatures[y]!, 0);
            const step = Math.max(-4, Math.min(4, -gradient / (curvature + l2)));
            expect(scores[y]).toBeCloseTo(0.5 * step, 5);
          }
        }
      }
    }
    expect(splits).toBeGreaterThan(400);
  });
});
