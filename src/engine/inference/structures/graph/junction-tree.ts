import { logSum } from '../../../core/arrays.js';
import { type GraphBeliefs, largest, type PairGraph } from './pair-graph.js';
import { PriorityQueue } from './priority-queue.js';

/** Maximum count of numbers in all tables of a tree: 128 MiB. */
const mostNumbers = 2 ** 24;

/** The offsets of a clique's table and of its message, and the message's recipient. */
interface Place {
  readonly clique: Clique;
  readonly table: number;
  readonly message: number;
  /** The clique of its first later node; -1 if it has no later node. */
  readonly parent: number;
}

/**
 * Exact sums and best labels of a graph by a junction tree of bounded width. The clique of node v
 * and later nodes n_1 to n_d has a table indexed by all their labels, v's label varying fastest:
 *
 *     table(n, v) = u_v + sum of p_{v n} + factors of v and later nodes + messages of the child cliques
 *     message(n) = log sum_v exp table(n, v), or max_v table(n, v)
 *
 * and p(v | n) = exp(table - message), which gives the marginals from the last clique to the first. Everything is in log
 * space, so no score is out of range; minus infinity forbids. Time and memory O(nodes * labels^(width + 1)). Lauritzen
 * and Spiegelhalter (1988).
 */
export class JunctionTree {
  readonly #graph: PairGraph;
  readonly #places: readonly Place[];
  /** Shared by all trees, because only one is in use at a time. */
  static #tables = new Float64Array(0);
  static #messages = new Float64Array(0);
  static #beliefs = new Float64Array(0);
  static #indexes = new Int32Array(0);

  private constructor(graph: PairGraph, places: readonly Place[]) {
    this.#graph = graph;
    this.#places = places;
  }

  /**
   * Returns the junction tree of a graph, or undefined if min-fill elimination exceeds the width or
   * the tables exceed 128 MiB.
   */
  static of(graph: PairGraph, maxWidth: number): JunctionTree | undefined {
    const cliques = eliminate(graph, maxWidth);
    if (cliques === undefined) return undefined;
    const numberOf = new Int32Array(graph.nodes);
    for (const [k, { node }] of cliques.entries()) numberOf[node] = k;
    let table = 0;
    let message = 0;
    let widest = 1;
    const places = cliques.map(clique => {
      const { later } = clique;
      const parent = later.length === 0 ? -1 : numberOf[later[0]!]!;
      const place = { clique, table, message, parent };
      message += graph.labels ** later.length;
      table += graph.labels ** (later.length + 1);
      widest = Math.max(widest, graph.labels ** (later.length + 1));
      return place;
    });
    if (table > mostNumbers) return undefined;
    if (JunctionTree.#tables.length < table) JunctionTree.#tables = new Float64Array(2 * table);
    if (JunctionTree.#messages.length < message) {
      JunctionTree.#messages = new Float64Array(2 * message);
    }
    if (JunctionTree.#indexes.length < widest) JunctionTree.#indexes = new Int32Array(widest);
    return new JunctionTree(graph, places);
  }

  /** Size of the largest clique minus 1. */
  get width(): number {
    return this.#places.reduce((most, { clique }) => Math.max(most, clique.later.length), 0);
  }

  /**
   * Computes node and edge probabilities; returns log Z, minus infinity if no labels are possible.
   */
  sums(beliefs: GraphBeliefs): number {
    const logZ = this.#collect(logSum);
    beliefs.open(this.#graph);
    if (Number.isFinite(logZ)) this.#distribute(beliefs);
    return logZ;
  }

  /** Finds each node's best label, ties going to the lowest; returns the score. */
  best(labels: Int32Array): number {
    const score = this.#collect(largest);
    const { labels: count } = this.#graph;
    for (let k = this.#places.length - 1; k >= 0; k -= 1) {
      const { clique, table } = this.#places[k]!;
      let row = 0;
      for (const node of clique.later) row = row * count + labels[node]!;
      let best = 0;
      const start = table + row * count;
      for (let y = 1; y < count; y += 1) {
        if (JunctionTree.#tables[start + y]! > JunctionTree.#tables[start + best]!) best = y;
      }
      labels[clique.node] = best;
    }
    return score;
  }

  /**
   * Computes tables and messages from the first clique to the last; returns the sum over the roots of all
   * components.
   */
  #collect(reduce: typeof largest): number {
    const { labels } = this.#graph;
    const tables = JunctionTree.#tables;
    const messages = JunctionTree.#messages;
    for (const { clique, table } of this.#places) this.#fill(clique, table);
    let total = 0;
    for (const { clique, table, message, parent } of this.#places) {
      const rows = labels ** clique.later.length;
      for (let row = 0; row < rows; row += 1) {
        messages[message + row] = reduce(tables, table + row * labels, labels);
      }
      if (parent < 0) total += messages[message]!;
      else this.#send(clique, message, this.#places[parent]!);
    }
    return total;
  }

  /** Fills in the scores of a clique's node, and of its edges and factors with the later nodes. */
  #fill(clique: Clique, table: number): void {
    const { node, later } = clique;
    const { labels, unary, pairs, tables: ofFactors } = this.#graph;
    const tables = JunctionTree.#tables;
    const size = labels ** (later.length + 1);
    for (let i = 0; i < size; i += 1) tables[table + i] = unary[node * labels + (i % labels)]!;
    this.#eachScored(clique, (indexes, isPair) => {
      const scores = isPair ? pairs : ofFactors;
      for (let i = 0; i < size; i += 1) tables[table + i]! += scores[indexes[i]!]!;
    });
  }

  /**
   * Visits the edges and factors that the first node of a clique shares with later nodes, with an
   * index for each number of the clique's table.
   */
  #eachScored(clique: Clique, visit: (indexes: Int32Array, isPair: boolean) => void): void {
    const { node, later } = clique;
    const { labels, lower, upper, edgesOf, factors, factorsOf } = this.#graph;
    for (const edge of edgesOf[node]!) {
      if (!later.includes(this.#graph.across(edge, node))) continue;
      visit(this.#placesOf([lower[edge]!, upper[edge]!], edge * labels * labels, clique), true);
    }
    for (const number of factorsOf[node]!) {
      const { nodes, start } = factors[number]!;
      // A factor belongs to the first of its nodes.
      if (!nodes.every(each => each === node || later.includes(each))) continue;
      visit(this.#placesOf(nodes, start, clique), false);
    }
  }

  /**
   * Returns, for each number of a clique's table, its index in a table over the labels of some
   * nodes, the last label varying fastest.
   */
  #placesOf(nodes: readonly number[], start: number, { node, later }: Clique): Int32Array {
    const { labels } = this.#graph;
    const stride = (of: number) => {
      const at = nodes.indexOf(of);
      return at < 0 ? 0 : labels ** (nodes.length - 1 - at);
    };
    return indexesOf([...later.map(stride), stride(node)], labels, start, JunctionTree.#indexes);
  }

  #send(clique: Clique, message: number, parent: Place): void {
    const size = this.#graph.labels ** (parent.clique.later.length + 1);
    const indexes = this.#placesOf(clique.later, message, parent.clique);
    const tables = JunctionTree.#tables;
    for (let i = 0; i < size; i += 1) {
      tables[parent.table + i]! += JunctionTree.#messages[indexes[i]!]!;
    }
  }

  /** Replaces the tables by clique probabilities, from the last clique to the first. */
  #distribute(into: GraphBeliefs): void {
    const { labels } = this.#graph;
    const tables = JunctionTree.#tables;
    const messages = JunctionTree.#messages;
    const last = this.#places.at(-1)!;
    const count = last.message + labels ** last.clique.later.length;
    if (JunctionTree.#beliefs.length < count) JunctionTree.#beliefs = new Float64Array(2 * count);
    const beliefs = JunctionTree.#beliefs;
    for (let k = this.#places.length - 1; k >= 0; k -= 1) {
      const { clique, table, message, parent } = this.#places[k]!;
      const rows = labels ** clique.later.length;
      if (parent < 0) beliefs[message] = 1;
      else {
        beliefs.fill(0, message, message + rows);
        const above = this.#places[parent]!;
        const indexes = this.#placesOf(clique.later, message, above.clique);
        const size = labels ** (above.clique.later.length + 1);
        for (let i = 0; i < size; i += 1) beliefs[indexes[i]!]! += tables[above.table + i]!;
      }
      for (let row = 0; row < rows; row += 1) {
        const share = beliefs[message + row]!;
        const start = table + row * labels;
        for (let y = 0; y < labels; y += 1) {
          // Conditional probabilities are undefined given impossible labels.
          tables[start + y] =
            share === 0 ? 0 : share * Math.exp(tables[start + y]! - messages[message + row]!);
        }
      }
      this.#read(clique, table, into);
    }
  }

  /**
   * Reads the probabilities of a clique's node, and of its edges and factors with the later nodes.
   */
  #read(clique: Clique, table: number, beliefs: GraphBeliefs): void {
    const { node, later } = clique;
    const { labels } = this.#graph;
    const tables = JunctionTree.#tables;
    const size = labels ** (later.length + 1);
    const { nodes } = beliefs;
    for (let i = 0; i < size; i += 1) nodes[node * labels + (i % labels)]! += tables[table + i]!;
    this.#eachScored(clique, (indexes, isPair) => {
      const into = isPair ? beliefs.pairs : beliefs.tables;
      for (let i = 0; i < size; i += 1) into[indexes[i]!]! += tables[table + i]!;
    });
  }
}

/**
 * Returns `start` plus the stride-weighted sum of digits for all numbers with these digits, the
 * last digit varying fastest.
 */
function indexesOf(
  strides: readonly number[],
  labels: number,
  start: number,
  into: Int32Array,
): Int32Array {
  into[0] = start;
  let size = 1;
  for (let digit = strides.length - 1; digit >= 0; digit -= 1) {
    const stride = strides[digit]!;
    for (let y = 1; y < labels; y += 1) {
      for (let i = 0; i < size; i += 1) into[y * size + i] = into[i]! + y * stride;
    }
    size *= labels;
  }
  return into;
}

/** A node with its neighbours at the time of its elimination: a clique of a junction tree. */
interface Clique {
  readonly node: number;
  /** Neighbours in elimination order. */
  readonly later: readonly number[];
}

const queue = new PriorityQueue();

/**
 * Eliminates the nodes of a graph one by one, always the one whose neighbours lack the fewest edges
 * among themselves (min-fill), and connects its neighbours. The cliques, in elimination order, form
 * a junction tree: all `later` nodes of a clique are in the clique of the first of them. Returns
 * undefined if a clique has more than `maxWidth` later nodes.
 *
 * Cost O(nodes * width^3) for graphs of bounded width. Kjaerulff (1990); Koller and Friedman (2009), section 9.4.
 */
function eliminate(graph: PairGraph, maxWidth: number): Clique[] | undefined {
  const neighbours = Array.from({ length: graph.nodes }, () => new Set<number>());
  for (let e = 0; e < graph.edges; e += 1) {
    neighbours[graph.lower[e]!]!.add(graph.upper[e]!);
    neighbours[graph.upper[e]!]!.add(graph.lower[e]!);
  }
  for (const { nodes } of graph.factors) {
    for (const one of nodes)
      for (const other of nodes) if (one !== other) neighbours[one]!.add(other);
  }
  queue.open(graph.nodes);
  for (let i = 0; i < graph.nodes; i += 1) queue.set(i, -fillOf(neighbours, i, maxWidth));
  const cliques: { node: number; later: number[] }[] = [];
  const order = new Int32Array(graph.nodes);
  while (!queue.isEmpty) {
    const node = queue.take();
    const later = [...neighbours[node]!];
    if (later.length > maxWidth) return undefined;
    order[node] = cliques.length;
    cliques.push({ node, later });
    const changed = new Set(later);
    for (const one of later) {
      neighbours[one]!.delete(node);
      for (const other of later) {
        if (one >= other || neighbours[one]!.has(other)) continue;
        // A node adjacent to both has one missing edge less.
        for (const third of neighbours[one]!) if (neighbours[other]!.has(third)) changed.add(third);
        neighbours[one]!.add(other);
        neighbours[other]!.add(one);
      }
    }
    for (const one of changed) queue.set(one, -fillOf(neighbours, one, maxWidth));
  }
  for (const { later } of cliques) later.sort((a, b) => order[a]! - order[b]!);
  return cliques;
}

/**
 * Returns the number of missing edges among a node's neighbours, or a larger number than any other
 * if they are too many for elimination.
 */
function fillOf(neighbours: readonly Set<number>[], node: number, maxWidth: number): number {
  const own = neighbours[node]!;
  if (own.size > maxWidth) return Number.MAX_SAFE_INTEGER;
  let missing = 0;
  for (const one of own) {
    for (const other of own) if (one < other && !neighbours[one]!.has(other)) missing += 1;
  }
  return missing;
}
