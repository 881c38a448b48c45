import type { PairGraph } from './pair-graph.js';

/** Relative improvements of the score below this are rounding errors. */
const leastGain = 1e-12;

/**
 * Finds the best labels of a graph whose pairs score only equal labels, with at least 0; returns
 * their score, minus infinity if a node has no label. Two labels: exactly, by one cut. More labels:
 * by optimal expansions of one label at a time until none improves the score; the gain over each
 * node's worst label is then at least half of the optimal gain. Cost: one cut per label and round;
 * rounds are few.
 *
 * Greig, Porteous and Seheult (1989); Boykov, Veksler and Zabih (2001); for associative Markov
 * networks: Taskar, Chatalbashev and Koller (2004).
 */
export function bestAssociative(graph: PairGraph, labels: Int32Array): number {
  const { nodes, unary } = graph;
  const count = graph.labels;
  for (let i = 0; i < nodes; i += 1) {
    let best = 0;
    for (let y = 1; y < count; y += 1) {
      if (unary[i * count + y]! > unary[i * count + best]!) best = y;
    }
    labels[i] = best;
    if (unary[i * count + best] === Number.NEGATIVE_INFINITY) return Number.NEGATIVE_INFINITY;
  }
  if (count === 1) return graph.score(labels);
  if (count === 2) {
    labels.fill(0, 0, nodes);
    return expand(graph, labels, 1, Number.NEGATIVE_INFINITY);
  }
  let score = graph.score(labels);
  let since = 0;
  for (let label = 0; since < count; label = (label + 1) % count) {
    const better = expand(graph, labels, label, score);
    since = better > score ? 1 : since + 1;
    score = better;
  }
  return score;
}

/** Computes the best expansion of a label and applies it if it improves the score; returns the score. */
function expand(graph: PairGraph, labels: Int32Array, label: number, score: number): number {
  const { nodes, edges, lower, upper, pairs, unary } = graph;
  const count = graph.labels;
  const far = beyondAll(graph);
  cuts.open(nodes);
  const costs = new Float64Array(nodes);
  for (let i = 0; i < nodes; i += 1) {
    const own = Math.max(-far, unary[i * count + labels[i]!]!);
    costs[i] = own - Math.max(-far, unary[i * count + label]!);
  }
  for (let e = 0; e < edges; e += 1) {
    const [one, other] = [lower[e]!, upper[e]!];
    const neither = pairs[graph.pairAt(e, labels[one]!, labels[other]!)]!;
    const second = pairs[graph.pairAt(e, labels[one]!, label)]!;
    const first = pairs[graph.pairAt(e, label, labels[other]!)]!;
    const both = pairs[graph.pairAt(e, label, label)]!;
    costs[one]! += neither - first;
    costs[other]! += first - both;
    cuts.connect(one, other, neither + both - first - second);
  }
  for (let i = 0; i < nodes; i += 1) cuts.charge(i, costs[i]!);
  const sides = cuts.cut();
  const moved = labels.slice(0, nodes);
  for (let i = 0; i < nodes; i += 1) if (sides[i] === 1) moved[i] = label;
  const better = graph.score(moved);
  // The first cut is final if there are two labels.
  if (!(better > score + leastGain * Math.abs(score)) && Number.isFinite(score)) return score;
  labels.set(moved);
  return better;
}

/** Returns a number above the sum of all finite scores, so that forbidden labels never pay off. */
function beyondAll({ nodes, edges, labels, unary, pairs }: PairGraph): number {
  let sum = 1;
  for (let i = 0; i < nodes * labels; i += 1) {
    if (unary[i] !== Number.NEGATIVE_INFINITY) sum += Math.abs(unary[i]!);
  }
  for (let i = 0; i < edges * labels ** 2; i += 1) sum += pairs[i]!;
  return sum;
}

/**
 * The cheapest cut between a source and a sink, by blocking flows along shortest paths (Dinic).
 * Capacities are not negative; the graph's nodes are 0 to `nodes - 1`. Cost at most O(nodes^2
 * edges), far less on sparse graphs. Dinic (1970).
 */
class MinCut {
  #nodes = 0;
  /** Arc heads, in pairs: arc `a` and its reverse `a ^ 1`. */
  #to: number[] = [];
  #left: number[] = [];
  #arcs: number[][] = [];
  #levels = new Int32Array(0);
  #tried = new Int32Array(0);
  #largest = 0;

  open(nodes: number): void {
    this.#nodes = nodes;
    this.#to = [];
    this.#left = [];
    this.#arcs = Array.from({ length: nodes + 2 }, () => []);
    this.#levels = new Int32Array(nodes + 2);
    this.#tried = new Int32Array(nodes + 2);
    this.#largest = 0;
  }

  /** Adds a cost for separating `one`, on the source's side, from `other`. */
  connect(one: number, other: number, capacity: number): void {
    if (capacity <= 0) return;
    this.#largest = Math.max(this.#largest, capacity);
    this.#arcs[one]!.push(this.#to.length);
    this.#to.push(other);
    this.#left.push(capacity);
    this.#arcs[other]!.push(this.#to.length);
    this.#to.push(one);
    this.#left.push(0);
  }

  /**
   * Adds a cost for a node on the sink's side; if it is negative, adds its absolute value for the
   * source's side.
   */
  charge(node: number, cost: number): void {
    if (cost > 0) this.connect(this.#nodes, node, cost);
    else this.connect(node, this.#nodes + 1, -cost);
  }

  /** Returns 1 for each node on the sink's side; there are as few of them as possible. */
  cut(): Uint8Array {
    // Residual capacities below this are rounding errors.
    const least = this.#largest * 1e-13;
    while (this.#reach(least)) {
      this.#tried.fill(0);
      while (this.#push(least)) {}
    }
    const sides = new Uint8Array(this.#nodes);
    this.#backFromSink(least, sides);
    return sides;
  }

  /** Computes distances from the source; returns whether it reaches the sink. */
  #reach(least: number): boolean {
    const levels = this.#levels.fill(-1);
    const queue = [this.#nodes];
    levels[this.#nodes] = 0;
    for (let head = 0; head < queue.length; head += 1) {
      const node = queue[head]!;
      for (const arc of this.#arcs[node]!) {
        const to = this.#to[arc]!;
        if (levels[to] !== -1 || this.#left[arc]! <= least) continue;
        levels[to] = levels[node]! + 1;
        queue.push(to);
      }
    }
    return levels[this.#nodes + 1] !== -1;
  }

  /** Augments the flow along one shortest path; returns whether there was one. */
  #push(least: number): boolean {
    const sink = this.#nodes + 1;
    const path: number[] = [];
    let node = this.#nodes;
    while (node !== sink) {
      const arcs = this.#arcs[node]!;
      let arc = -1;
      while (this.#tried[node]! < arcs.length) {
        const next = arcs[this.#tried[node]!]!;
        const isOn = this.#levels[this.#to[next]!] === this.#levels[node]! + 1;
        if (isOn && this.#left[next]! > least) {
          arc = next;
          break;
        }
        this.#tried[node]! += 1;
      }
      if (arc >= 0) {
        path.push(arc);
        node = this.#to[arc]!;
      } else {
        const back = path.pop();
        if (back === undefined) return false;
        node = this.#to[back ^ 1]!;
        this.#tried[node]! += 1;
      }
    }
    let flow = Number.POSITIVE_INFINITY;
    for (const arc of path) flow = Math.min(flow, this.#left[arc]!);
    for (const arc of path) {
      this.#left[arc]! -= flow;
      this.#left[arc ^ 1]! += flow;
    }
    return true;
  }

  /** Marks the nodes that can still reach the sink. */
  #backFromSink(least: number, sides: Uint8Array): void {
    const queue = [this.#nodes + 1];
    const met = new Uint8Array(this.#nodes + 2);
    met[this.#nodes + 1] = 1;
    for (let head = 0; head < queue.length; head += 1) {
      for (const arc of this.#arcs[queue[head]!]!) {
        const from = this.#to[arc]!;
        if (met[from] === 1 || this.#left[arc ^ 1]! <= least) continue;
        met[from] = 1;
        if (from < this.#nodes) sides[from] = 1;
        queue.push(from);
      }
    }
  }
}

const cuts = new MinCut();
