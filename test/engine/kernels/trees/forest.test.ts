import { describe, expect, it } from 'vitest';
import type { Precision } from '../../../../src/engine/core/arrays.js';
import { Random } from '../../../../src/engine/core/random.js';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { RealTable } from '../../../../src/engine/kernels/memory/real-table.js';
import {
  previousLabelOf,
  splitOnPrevious,
  subtreeEnds,
} from '../../../../src/engine/kernels/store/regression-tree.js';
import { Forest } from '../../../../src/engine/kernels/trees/forest.js';
import { joinTrees, separateTrees } from '../../../../src/engine/kernels/trees/joined-trees.js';
import { TreeWalk } from '../../../../src/engine/kernels/trees/tree-walk.js';
import { isNightly } from '../../../house/long-forms.js';
import { randomTree, valuesOf } from './random-tree.js';

const problems = isNightly ? 10_000 : 2500;

interface Problem {
  readonly features: number;
  readonly labels: number;
  readonly trees: ReturnType<typeof randomTree>[];
  readonly tokens: readonly (readonly number[])[];
}

function problem(seed: number, most = 8): Problem {
  const random = new Random(seed);
  const features = 1 + random.below(12);
  // Of many labels the forest adds rows, of few it adds lists.
  const labels = 1 + random.below(seed % 3 === 0 ? 20 : 5);
  const trees = Array.from({ length: random.below(5) }, () =>
    randomTree(random, {
      ...{ leaves: 1 + random.below(most), features, labels, previous: seed % 2 === 0 },
    }),
  );
  const tokens = Array.from({ length: 1 + random.below(4) }, () =>
    Array.from({ length: random.below(6) }, () => random.below(features + 2)),
  );
  return { features, labels, trees, tokens };
}

function packed(tokens: Problem['tokens']) {
  const starts = [0];
  for (const rows of tokens) starts.push(starts.at(-1)! + rows.length);
  return {
    tokens: tokens.length,
    stateStarts: Uint32Array.from(starts),
    stateRows: Uint32Array.from(tokens.flat()),
  };
}

/** Scores of all tokens by definition, above what was there. */
function expected({ trees, labels, tokens }: Problem): number[][] {
  return tokens.map((rows, t) => {
    const scores = new Array<number>(labels).fill(t + 1);
    for (const tree of trees) {
      for (const [y, value] of valuesOf(tree, new Set(rows), labels).entries()) scores[y]! += value;
    }
    return scores;
  });
}

const memory = new LinearMemory();

function scored(given: Problem, precision: Precision, width: number) {
  const { labels, tokens } = given;
  const table = new RealTable(memory, width, precision);
  table.reset(tokens.length, width);
  for (const t of tokens.keys()) table.view.fill(t + 1, t * width, t * width + labels);
  new Forest(given.trees, labels).addTo(packed(tokens), table, width);
  const into = table.view.slice();
  table.reset(0, width);
  return tokens.map((_, t) => Array.from(into.subarray(t * width, t * width + labels)));
}

function farthest(one: number[][], other: number[][]): number {
  return Math.max(0, ...one.flatMap((row, t) => row.map((x, y) => Math.abs(x - other[t]![y]!))));
}

describe('a forest', () => {
  it(`says the sum of its trees, on ${problems} random problems in both precisions`, {
    tags: 'slow',
  }, () => {
    let [wide, narrow] = [0, 0];
    for (let seed = 1; seed <= problems; seed += 1) {
      const given = problem(seed);
      const width = given.labels + 2;
      const wanted = expected(given);
      wide = Math.max(wide, farthest(scored(given, 'float64', width), wanted));
      narrow = Math.max(narrow, farthest(scored(given, 'float32', width), wanted));
    }
    expect(wide).toBeLessThan(1e-10);
    expect(narrow).toBeLessThan(1e-4);
  });

  it.each([33, 64, 150])(
    'has trees of up to %i leaves, in several words',
    { tags: 'slow' },
    most => {
      for (let seed = 1; seed <= 300; seed += 1) {
        const given = problem(seed, most);
        const found = scored(given, 'float64', given.labels);
        expect(farthest(found, expected(given))).toBeLessThan(1e-10);
      }
    },
  );

  it('says more of pairs of labels where a label before leads to another leaf', () => {
    let more = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const { trees, labels, tokens } = problem(seed, 30);
      const forest = new Forest(trees, labels);
      const width = labels + 1;
      const table = new RealTable(memory, width * labels, 'float64');
      table.reset(tokens.length, width * labels);
      table.view.fill(0);
      // The tokens have their matrices in another order, and the first has none.
      const slots = Int32Array.from(tokens, (_, t) => (t === 0 ? -1 : tokens.length - t));
      const places = { slots, width, matrixSize: width * labels };
      forest.addPairs(packed(tokens), table, places);
      const found = table.view.slice();
      table.reset(0, width * labels);
      for (const [t, rows] of tokens.entries()) {
        for (let from = 0; t > 0 && from < labels; from += 1) {
          const wanted = new Array<number>(width).fill(0);
          for (const tree of trees) {
            const active = new Set([...rows, splitOnPrevious(from) - 1]);
            const without = valuesOf(tree, new Set(rows), labels);
            for (const [y, value] of valuesOf(tree, active, labels).entries()) {
              wanted[y]! += value - without[y]!;
            }
          }
          const at = slots[t]! * width * labels + from * width;
          more += +wanted.some(value => value !== 0);
          expect(farthest([Array.from(found.subarray(at, at + width))], [wanted])).toBeLessThan(
            1e-10,
          );
        }
      }
      expect(forest.seesPrevious).toBe(
        trees.some(({ nodes }) => nodes.some(node => previousLabelOf(node) >= 0)),
      );
    }
    expect(more).toBeGreaterThan(150);
  });

  it('leaves lanes past the labels alone, and says nothing without trees', () => {
    const scores = new RealTable(memory, 4);
    scores.reset(1, 4);
    scores.view.set([1, 2, 3, 4]);
    new Forest([], 3).addTo(packed([[0]]), scores, 4);
    expect(scores.view).toEqual(Float64Array.of(1, 2, 3, 4));
  });
});

describe('a walk', () => {
  it('comes to the leaf of the definition, by the features that it names', { tags: 'slow' }, () => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const { features, labels, trees, tokens } = problem(seed, 40);
      for (const tree of trees) {
        const walk = new TreeWalk(tree);
        for (const rows of tokens) {
          const active = new Uint8Array(features + 2);
          for (const row of rows) active[row] = 1;
          const leaf = walk.leaf(active);
          const scores = new Float64Array(labels + 1);
          walk.addTo(leaf, scores, 1);
          expect(Array.from(scores.subarray(1))).toEqual(valuesOf(tree, new Set(rows), labels));
          expect(walk.splits(leaf).every(node => active[node - 1] === 1)).toBe(true);
        }
      }
    }
  });
});

describe('trees in one of each array', () => {
  it('are the same when they are taken apart', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { trees, features, labels } = problem(seed, 20);
      expect(separateTrees(joinTrees(trees), features, labels)).toEqual(trees);
    }
  });

  it('are trees still, or refused, whatever is changed', { tags: 'slow' }, () => {
    const random = new Random(7);
    let refused = 0;
    for (let i = 0; i < 3000; i += 1) {
      const { trees, features, labels } = problem(i + 1, 12);
      const joined = joinTrees(trees);
      const names = ['starts', 'nodes', 'gains', 'sizes', 'labels', 'values'] as const;
      const name = names[random.below(names.length)]!;
      const array = joined[name];
      if (array.length === 0) continue;
      const isShort = random.below(3) === 0;
      if (!isShort) array[random.below(array.length)] = random.below(2) === 0 ? Number.NaN : 9;
      const changed = isShort ? { ...joined, [name]: array.slice(1) } : joined;
      const found = separateTrees(changed, features, labels);
      if (typeof found === 'string') {
        refused += 1;
        continue;
      }
      for (const { nodes, labels: own, values } of found) {
        expect(subtreeEnds(nodes)?.[0]).toBe(nodes.length);
        expect(nodes.every(node => node <= features || previousLabelOf(node) < labels)).toBe(true);
        expect(own.every(label => label < labels)).toBe(true);
        expect(values.every(Number.isFinite)).toBe(true);
      }
      new Forest(found, labels);
    }
    expect(refused).toBeGreaterThan(1000);
  });
});
