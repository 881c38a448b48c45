import type { Random } from '../../../../../src/engine/core/random.js';
import { PairGraph } from '../../../../../src/engine/inference/structures/graph/pair-graph.js';

export interface GraphFamily {
  readonly nodes: number;
  readonly labels: number;
  /** Share of the pairs of nodes that have an edge; `tree`: each node but the first has one to an earlier one. */
  readonly edges: number | 'tree' | 'chain and links';
  /** Scores are within [-scores, scores]. */
  readonly scores?: number;
  /** Share of the scores that are minus infinity. */
  readonly forbidden?: number;
  readonly associative?: boolean;
  /** Factors of three nodes and more, at most so many; those of a tree share one node with the others. */
  readonly factors?: number;
}

/** A graph with up to so many nodes and labels, and random scores. */
export function randomGraph(random: Random, family: GraphFamily): PairGraph {
  const { scores = 2, forbidden = 0, associative = false, factors = 0 } = family;
  const nodes = 1 + random.below(family.nodes);
  const labels = family.labels <= 2 ? family.labels : 1 + random.below(family.labels);
  const graph = new PairGraph();
  graph.open(nodes, labels);
  const draw = () =>
    random.uniform() < forbidden ? Number.NEGATIVE_INFINITY : (2 * random.uniform() - 1) * scores;
  for (let i = 0; i < nodes * labels; i += 1) graph.unary[i] = draw();
  for (let j = 1; j < nodes; j += 1) {
    if (family.edges === 'tree') graph.connect(random.below(j), j);
    else if (family.edges === 'chain and links') graph.connect(j - 1, j);
    else {
      for (let i = 0; i < j; i += 1) if (random.uniform() < family.edges) graph.connect(j, i);
    }
  }
  const ofChain = graph.edges;
  if (family.edges === 'chain and links') {
    for (let j = 2; j < nodes; j += 1)
      if (random.uniform() < 0.6) graph.connect(random.below(j - 1), j);
  }
  for (let e = 0; e < graph.edges; e += 1) {
    for (let x = 0; x < labels; x += 1) {
      for (let y = 0; y < labels; y += 1) {
        const score = associative ? (x === y ? random.uniform() * scores : 0) : draw();
        const isLink = family.edges === 'chain and links' && e >= ofChain;
        graph.pairs[graph.pairAt(e, x, y)] = isLink && !Number.isFinite(score) ? 0 : score;
      }
    }
  }
  if (nodes < 3) return graph;
  for (let left = random.below(factors + 1); left > 0; left -= 1) {
    const all = random.shuffle(Uint32Array.from({ length: nodes }, (_, i) => i));
    const size = 3 + (nodes > 3 ? random.below(2) : 0);
    addRandom(graph, [...all.subarray(0, size)], draw);
  }
  return graph;
}

/** Nodes that factors of three or four connect, each with one of those before: a tree, on which messages are exact. */
export function randomFactorTree(random: Random, factors: number, labels: number): PairGraph {
  const sizes = Array.from({ length: 1 + random.below(factors) }, () => 2 + random.below(3));
  const graph = new PairGraph();
  graph.open(1 + sizes.reduce((sum, size) => sum + size - 1, 0), labels);
  const draw = () => 4 * random.uniform() - 2;
  for (let i = 0; i < graph.nodes * labels; i += 1) graph.unary[i] = draw();
  let met = 1;
  for (const size of sizes) {
    const nodes = [random.below(met), ...Array.from({ length: size - 1 }, (_, i) => met + i)];
    met += size - 1;
    if (size > 2) addRandom(graph, [...random.shuffle(Uint32Array.from(nodes))], draw);
    else {
      const at = graph.pairAt(graph.connect(nodes[0]!, nodes[1]!), 0, 0);
      for (let i = 0; i < labels ** 2; i += 1) graph.pairs[at + i] = draw();
    }
  }
  return graph;
}

function addRandom(graph: PairGraph, nodes: number[], draw: () => number): void {
  const start = graph.addFactor(nodes);
  for (let i = start; i < graph.tableSize; i += 1) graph.tables[i] = draw();
}

export interface Enumerated {
  readonly logZ: number;
  readonly best: number;
  readonly nodes: Float64Array;
  readonly pairs: Float64Array;
  /** Of factors. */
  readonly tables: Float64Array;
}

/** All labels of a graph, one by one. */
export function enumerated(graph: PairGraph): Enumerated {
  const { nodes, labels, edges, lower, upper } = graph;
  const all: { path: number[]; score: number }[] = [];
  for (let number = 0; number < labels ** nodes; number += 1) {
    const path = Array.from({ length: nodes }, (_, i) => Math.floor(number / labels ** i) % labels);
    all.push({ path, score: graph.score(path) });
  }
  const best = all.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const result = {
    best,
    logZ: best,
    nodes: new Float64Array(nodes * labels),
    pairs: new Float64Array(edges * labels ** 2),
    tables: new Float64Array(graph.tableSize),
  };
  if (best === Number.NEGATIVE_INFINITY) return result;
  result.logZ += Math.log(all.reduce((sum, { score }) => sum + Math.exp(score - best), 0));
  for (const { path, score } of all) {
    const probability = Math.exp(score - result.logZ);
    for (let i = 0; i < nodes; i += 1) result.nodes[i * labels + path[i]!]! += probability;
    for (let e = 0; e < edges; e += 1) {
      result.pairs[graph.pairAt(e, path[lower[e]!]!, path[upper[e]!]!)]! += probability;
    }
    for (const { nodes: own, start } of graph.factors) {
      result.tables[start + own.reduce((at, node) => at * labels + path[node]!, 0)]! += probability;
    }
  }
  return result;
}

/** How far numbers are from others at most. */
export function apart(found: Float64Array, expected: Float64Array): number {
  return expected.reduce((most, number, i) => Math.max(most, Math.abs(found[i]! - number)), 0);
}
