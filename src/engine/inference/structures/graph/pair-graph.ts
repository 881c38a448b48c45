import { grown } from '../../../core/arrays.js';

/**
 * A graph that scores its nodes' labels singly, in pairs, and in factors of three or more:
 *
 *     score(y) = sum over nodes of u_i(y_i) + sum over edges of p_ij(y_i, y_j) + sum over factors of t_c(y_c).
 *
 * Two nodes have at most one edge, from the lower to the upper: scores of further connections are
 * added to it. Memory is reused from graph to graph.
 */
export class PairGraph {
  nodes = 0;
  labels = 0;
  edges = 0;
  /** `[nodes x labels]` scores of single labels. */
  unary = new Float64Array(0);
  /**
   * `[edges x labels x labels]` scores of pairs, by the lower node's label, then the upper node's.
   */
  pairs = new Float64Array(0);
  lower = new Int32Array(0);
  upper = new Int32Array(0);
  /** Each node's edges. */
  readonly edgesOf: number[][] = [];
  /**
   * Factors of three or more nodes: each factor's nodes, and the offset of its scores in `tables`.
   */
  readonly factors: Factor[] = [];
  /** Scores of factors, indexed by the labels of a factor's nodes, the last varying fastest. */
  tables = new Float64Array(0);
  /** Total size of the tables of all factors. */
  tableSize = 0;
  /** Each node's factors. */
  readonly factorsOf: number[][] = [];
  readonly #numbers = new Map<number, number>();

  /** Begins a graph without edges whose scores are 0. Cost O(nodes * labels). */
  open(nodes: number, labels: number): void {
    this.nodes = nodes;
    this.labels = labels;
    this.edges = 0;
    this.#numbers.clear();
    if (this.unary.length < nodes * labels) this.unary = new Float64Array(2 * nodes * labels);
    this.unary.fill(0, 0, nodes * labels);
    this.edgesOf.length = 0;
    for (let i = 0; i < nodes; i += 1) this.edgesOf.push([]);
    this.factors.length = 0;
    this.tableSize = 0;
    this.factorsOf.length = 0;
    for (let i = 0; i < nodes; i += 1) this.factorsOf.push([]);
  }

  /**
   * Adds a factor of three or more different nodes whose scores are 0; returns the offset of its scores in
   * `tables`.
   */
  addFactor(nodes: readonly number[]): number {
    const start = this.tableSize;
    this.tableSize += this.labels ** nodes.length;
    if (this.tables.length < this.tableSize) {
      this.tables = grown(this.tables, new Float64Array(2 * this.tableSize));
    }
    this.tables.fill(0, start, this.tableSize);
    for (const node of nodes) this.factorsOf[node]!.push(this.factors.length);
    this.factors.push({ nodes, start });
    return start;
  }

  /** Returns the edge between two different nodes, in either order; adds it if it is missing. */
  connect(one: number, other: number): number {
    const lower = Math.min(one, other);
    const upper = Math.max(one, other);
    const key = lower * this.nodes + upper;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const edge = this.edges;
    this.#numbers.set(key, edge);
    this.edges += 1;
    this.#reserve();
    this.lower[edge] = lower;
    this.upper[edge] = upper;
    const size = this.labels ** 2;
    this.pairs.fill(0, edge * size, (edge + 1) * size);
    this.edgesOf[lower]!.push(edge);
    this.edgesOf[upper]!.push(edge);
    return edge;
  }

  /** Returns the node at the other end of an edge. */
  across(edge: number, node: number): number {
    return this.lower[edge] === node ? this.upper[edge]! : this.lower[edge]!;
  }

  /** Returns the score of a label assignment. Cost O(nodes + edges + nodes of factors). */
  score(labels: ArrayLike<number>): number {
    let score = 0;
    for (let i = 0; i < this.nodes; i += 1) score += this.unary[i * this.labels + labels[i]!]!;
    for (let e = 0; e < this.edges; e += 1) {
      score += this.pairs[this.pairAt(e, labels[this.lower[e]!]!, labels[this.upper[e]!]!)]!;
    }
    for (const { nodes, start } of this.factors) {
      let at = 0;
      for (const node of nodes) at = at * this.labels + labels[node]!;
      score += this.tables[start + at]!;
    }
    return score;
  }

  /** Returns the offset of an edge's score for two labels. */
  pairAt(edge: number, ofLower: number, ofUpper: number): number {
    return (edge * this.labels + ofLower) * this.labels + ofUpper;
  }

  #reserve(): void {
    const { edges } = this;
    if (this.lower.length < edges) {
      this.lower = grown(this.lower, new Int32Array(2 * edges));
      this.upper = grown(this.upper, new Int32Array(2 * edges));
    }
    const numbers = edges * this.labels ** 2;
    if (this.pairs.length < numbers) this.pairs = grown(this.pairs, new Float64Array(2 * numbers));
  }
}

/** A factor over three or more nodes of a graph. */
export interface Factor {
  readonly nodes: readonly number[];
  /** Offset of the factor's scores in `PairGraph.tables`. */
  readonly start: number;
}

/** Probabilities of a graph's node labels, of its edges' label pairs, and of its factors' label tuples. */
export class GraphBeliefs {
  /** `[nodes x labels]` probabilities p(y_i). */
  nodes = new Float64Array(0);
  /** `[edges x labels x labels]` probabilities p(y_i, y_j), laid out like `PairGraph.pairs`. */
  pairs = new Float64Array(0);
  /** Probabilities of label tuples, laid out like `PairGraph.tables`. */
  tables = new Float64Array(0);

  /** Makes room for a graph and sets everything to 0. */
  open({ nodes, edges, labels, tableSize }: PairGraph): void {
    const ofPairs = edges * labels * labels;
    if (this.nodes.length < nodes * labels) this.nodes = new Float64Array(2 * nodes * labels);
    if (this.pairs.length < ofPairs) this.pairs = new Float64Array(2 * ofPairs);
    this.nodes.fill(0, 0, nodes * labels);
    this.pairs.fill(0, 0, ofPairs);
    if (this.tables.length < tableSize) this.tables = new Float64Array(2 * tableSize);
    this.tables.fill(0, 0, tableSize);
  }
}

/** Returns the largest of some numbers. */
export function largest(numbers: Float64Array, start: number, count: number): number {
  let most = numbers[start]!;
  for (let i = start + 1; i < start + count; i += 1) if (numbers[i]! > most) most = numbers[i]!;
  return most;
}
