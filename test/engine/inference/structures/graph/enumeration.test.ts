import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import { bestAssociative } from '../../../../../src/engine/inference/structures/graph/alpha-expansion.js';
import { BeliefPropagation } from '../../../../../src/engine/inference/structures/graph/belief-propagation.js';
import { graphBest } from '../../../../../src/engine/inference/structures/graph/infer-graph.js';
import { JunctionTree } from '../../../../../src/engine/inference/structures/graph/junction-tree.js';
import { GraphBeliefs } from '../../../../../src/engine/inference/structures/graph/pair-graph.js';
import { apart, enumerated, randomFactorTree, randomGraph } from './random-graph.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** A number of problems, or all there are to be. */
const upTo = (some: number) => (full ? 10_000 : some / 4);

const beliefs = new GraphBeliefs();
const propagation = new BeliefPropagation();
const tally = () => ({ exact: 0, expanded: 0, converged: 0, unconverged: 0 });

function near(found: number, expected: number): boolean {
  if (!Number.isFinite(expected)) return found === expected;
  return Math.abs(found - expected) <= 1e-10 * Math.max(1, Math.abs(expected));
}

describe('a junction tree', () => {
  it.each([
    ['of every kind', upTo(5000), { nodes: 5, labels: 4, edges: 0.5 }],
    ['of two labels', upTo(3000), { nodes: 7, labels: 2, edges: 0.6 }],
    [
      'with forbidden labels and pairs',
      upTo(3000),
      { nodes: 5, labels: 3, edges: 0.5, forbidden: 0.3 },
    ],
    ['with factors of three and four', upTo(300), { nodes: 5, labels: 3, edges: 0.3, factors: 3 }],
    [
      'with forbidden tuples',
      upTo(300),
      { nodes: 5, labels: 3, edges: 0.3, factors: 3, forbidden: 0.2 },
    ],
    ['with scores of up to 500', upTo(2000), { nodes: 5, labels: 3, edges: 0.7, scores: 500 }],
  ] as const)(
    'has the sums and the best labels of graphs %s',
    { tags: 'slow' },
    (_, problems, family) => {
      const random = new Random(41);
      for (let problem = 0; problem < problems; problem += 1) {
        const graph = randomGraph(random, family);
        const all = enumerated(graph);
        const tree = JunctionTree.of(graph, graph.nodes)!;
        expect(near(tree.sums(beliefs), all.logZ)).toBe(true);
        expect(apart(beliefs.nodes, all.nodes)).toBeLessThan(1e-10);
        expect(apart(beliefs.pairs, all.pairs)).toBeLessThan(1e-10);
        expect(apart(beliefs.tables, all.tables)).toBeLessThan(1e-10);
        const labels = new Int32Array(graph.nodes);
        expect(near(tree.best(labels), all.best)).toBe(true);
        expect(near(graph.score(labels), all.best)).toBe(true);
      }
    },
  );

  it('is as wide as graphs whose width is known', () => {
    const graph = randomGraph(new Random(1), { nodes: 1, labels: 2, edges: 0 });
    // A ring, a grid of 3 by 4, and all connected.
    const widths = [
      [2, 9, (i: number) => [(i + 1) % 9]],
      [3, 12, (i: number) => [...(i % 3 < 2 ? [i + 1] : []), ...(i < 9 ? [i + 3] : [])]],
      [5, 6, (i: number) => [0, 1, 2, 3, 4, 5].filter(j => j < i)],
    ] as const;
    for (const [width, nodes, next] of widths) {
      graph.open(nodes, 2);
      for (let i = 0; i < nodes; i += 1) for (const j of next(i)) graph.connect(i, j);
      expect(JunctionTree.of(graph, width)!.width).toBe(width);
      expect(JunctionTree.of(graph, width - 1)).toBeUndefined();
    }
  });
});

describe.each(['flooding', 'residual'] as const)('belief propagation by %s', schedule => {
  it('is exact on trees', { tags: 'slow' }, () => {
    const random = new Random(42);
    for (let problem = 0; problem < upTo(2000); problem += 1) {
      const forbidden = problem % 2 === 0 ? 0 : 0.15;
      const graph = randomGraph(random, { nodes: 6, labels: 3, edges: 'tree', forbidden });
      const all = enumerated(graph);
      const { converged } = propagation.run(graph, { schedule, reduce: 'sum', tolerance: 1e-13 });
      expect(converged).toBe(true);
      expect(near(propagation.beliefs(beliefs), all.logZ)).toBe(true);
      if (!Number.isFinite(all.logZ)) continue;
      expect(apart(beliefs.nodes, all.nodes)).toBeLessThan(1e-10);
      expect(apart(beliefs.pairs, all.pairs)).toBeLessThan(1e-10);
      propagation.run(graph, { schedule, reduce: 'max' });
      const labels = new Int32Array(graph.nodes);
      propagation.decide(labels);
      expect(near(graph.score(labels), all.best)).toBe(true);
    }
  });

  it('is exact on trees of factors', () => {
    const random = new Random(47);
    for (let problem = 0; problem < upTo(60); problem += 1) {
      const graph = randomFactorTree(random, 3, 2 + random.below(2));
      const all = enumerated(graph);
      const { converged } = propagation.run(graph, { schedule, reduce: 'sum', tolerance: 1e-13 });
      expect(converged).toBe(true);
      expect(near(propagation.beliefs(beliefs), all.logZ)).toBe(true);
      expect(apart(beliefs.nodes, all.nodes)).toBeLessThan(1e-10);
      expect(apart(beliefs.pairs, all.pairs)).toBeLessThan(1e-10);
      expect(apart(beliefs.tables, all.tables)).toBeLessThan(1e-10);
      propagation.run(graph, { schedule, reduce: 'max' });
      const labels = new Int32Array(graph.nodes);
      propagation.decide(labels);
      expect(near(graph.score(labels), all.best)).toBe(true);
    }
  });

  it('is at a stationary point of its log Z where graphs have rings: beliefs are its slopes', {
    tags: 'slow',
  }, () => {
    const random = new Random(43);
    let rings = 0;
    for (let problem = 0; problem < upTo(300); problem += 1) {
      const factors = problem % 2 === 0 ? 0 : 2;
      const graph = randomGraph(random, { nodes: 5, labels: 3, edges: 0.8, scores: 0.6, factors });
      const run = () => propagation.run(graph, { schedule, reduce: 'sum', tolerance: 1e-12 });
      if (graph.edges < graph.nodes || !run().converged) continue;
      rings += 1;
      propagation.beliefs(beliefs);
      const nodes = beliefs.nodes.slice();
      const pairs = beliefs.pairs.slice();
      const tables = beliefs.tables.slice();
      for (const [scores, slopes] of [
        [graph.unary, nodes],
        [graph.pairs, pairs],
        [graph.tables, tables],
      ] as const) {
        if (scores === graph.tables && graph.tableSize === 0) continue;
        const sizes = new Map([
          [graph.unary, graph.nodes * graph.labels],
          [graph.tables, graph.tableSize],
        ]);
        const at = random.below(sizes.get(scores) ?? graph.edges);
        const before = scores[at]!;
        const sides = [1e-4, -1e-4].map(step => {
          scores[at] = before + step;
          run();
          return propagation.beliefs(beliefs);
        });
        scores[at] = before;
        expect(Math.abs((sides[0]! - sides[1]!) / 2e-4 - slopes[at]!)).toBeLessThan(1e-7);
      }
    }
    expect(rings).toBeGreaterThan(upTo(300) / 3);
  });

  it('decides for labels that a chain with links allows, wherever there are some', {
    tags: 'slow',
  }, () => {
    const random = new Random(44);
    let equal = 0;
    let possible = 0;
    for (let problem = 0; problem < upTo(2000); problem += 1) {
      const family = { nodes: 6, labels: 3, edges: 'chain and links', forbidden: 0.2 } as const;
      const graph = randomGraph(random, family);
      const { best } = enumerated(graph);
      const labels = new Int32Array(graph.nodes);
      const layout = { chained: true, associative: false, maxWidth: 0, schedule, tally: tally() };
      const found = graphBest(graph, layout, labels);
      if (!Number.isFinite(best)) continue;
      possible += 1;
      expect(Number.isFinite(found)).toBe(true);
      expect(near(graph.score(labels), found)).toBe(true);
      expect(found).toBeLessThanOrEqual(best + 1e-9);
      if (near(found, best)) equal += 1;
    }
    expect(equal / possible).toBeGreaterThan(0.9);
  });
});

describe('associative potentials', () => {
  it('are cut exactly with two labels', { tags: 'slow' }, () => {
    const random = new Random(45);
    for (let problem = 0; problem < upTo(5000); problem += 1) {
      const forbidden = problem % 3 === 0 ? 0.2 : 0;
      const family = { nodes: 8, labels: 2, edges: 0.5, associative: true, forbidden };
      const graph = randomGraph(random, family);
      const labels = new Int32Array(graph.nodes);
      const { best } = enumerated(graph);
      expect(near(bestAssociative(graph, labels), best)).toBe(true);
      if (Number.isFinite(best)) expect(near(graph.score(labels), best)).toBe(true);
    }
  });

  it('are expanded to at least half of the best, and mostly to the best, with more', {
    tags: 'slow',
  }, () => {
    const random = new Random(46);
    let equal = 0;
    for (let problem = 0; problem < upTo(3000); problem += 1) {
      const graph = randomGraph(random, { nodes: 6, labels: 4, edges: 0.5, associative: true });
      const labels = new Int32Array(graph.nodes);
      const { best } = enumerated(graph);
      const found = bestAssociative(graph, labels);
      expect(near(graph.score(labels), found)).toBe(true);
      let least = 0;
      for (let i = 0; i < graph.nodes; i += 1) {
        const own = graph.unary.subarray(i * graph.labels, (i + 1) * graph.labels);
        least += Math.min(...own);
      }
      expect(found - least).toBeGreaterThanOrEqual((best - least) / 2 - 1e-9);
      if (near(found, best)) equal += 1;
    }
    expect(equal).toBeGreaterThan(0.96 * upTo(3000));
  });
});
