import { logSum } from '../../../core/arrays.js';
import { type GraphBeliefs, largest, type PairGraph } from './pair-graph.js';
import { PriorityQueue } from './priority-queue.js';

/** The message schedule: all messages at once, or the largest change first. */
export type Schedule = 'flooding' | 'residual';

/** Options of message passing. */
export interface PropagationOptions {
  readonly schedule: Schedule;
  /** `sum` computes marginals, `max` best labels. */
  readonly reduce: 'sum' | 'max';
  /** Change of a message below which it has converged. */
  readonly tolerance?: number;
  /** Maximum number of times that a message is sent, on average. */
  readonly rounds?: number;
}

/** The outcome of message passing. */
export interface Propagated {
  readonly converged: boolean;
  /** Number of messages sent. */
  readonly messages: number;
}

const usual = { tolerance: 1e-9, rounds: 200 };

/**
 * Loopy belief propagation: node i sends node j the scores of j's labels from everything but j,
 *
 *     m_ij(y) = log sum_x exp(u_i(x) + p_ij(x, y) + sum over k != j of m_ki(x)),
 *
 * and a factor c of three or more nodes sends its node j
 *
 *     m_cj(y) = log sum over x_c with x_j = y of exp(t_c(x_c) + sum over i != j of (u_i(x_i) + messages to i except c's)),
 *
 * with max instead of log sum exp for best labels; each message is normalised by its own log sum
 * (or maximum). Exact on trees; otherwise, if messages converge, a stationary point of the Bethe
 * free energy. A node's message costs O(labels^2 + labels * edges of the node), that of a factor of
 * k nodes O(labels^k). Murphy, Weiss and Jordan (1999); on factor graphs: Kschischang, Frey and
 * Loeliger (2001), Yedidia, Freeman and Weiss (2005); residual schedule: Elidan, McGraw and Koller
 * (2006).
 */
export class BeliefPropagation {
  #graph!: PairGraph;
  #isSum = true;
  /**
   * `[messages x labels]`: message 2 e goes to the upper node of edge e, 2 e + 1 to the lower; each
   * factor's messages to its nodes follow.
   */
  #sent = new Float64Array(0);
  /** Next messages to send. */
  #next = new Float64Array(0);
  #cavity = new Float64Array(0);
  /** Each factor's first message. */
  readonly #ofFactors: number[] = [];
  /** The factor of each factor message, numbered from 2 edges on. */
  readonly #factorOf: number[] = [];
  /** Scores of a factor's nodes, excluding the factor's own messages. */
  #cavities = new Float64Array(0);
  readonly #queue = new PriorityQueue();

  /** Passes messages until they converge or the limit is reached; beliefs can then be read. */
  run(graph: PairGraph, options: PropagationOptions): Propagated {
    const { schedule, reduce, tolerance, rounds } = { ...usual, ...options };
    const { labels } = graph;
    this.#graph = graph;
    this.#isSum = reduce === 'sum';
    const count = this.#number();
    if (this.#sent.length < count * labels) {
      this.#sent = new Float64Array(2 * count * labels);
      this.#next = new Float64Array(2 * count * labels);
    }
    if (this.#cavity.length < labels) this.#cavity = new Float64Array(labels);
    this.#sent.fill(this.#isSum ? -Math.log(labels) : 0, 0, count * labels);
    return schedule === 'flooding'
      ? this.#flood(count, tolerance, rounds)
      : this.#byResidual(count, tolerance, rounds * count);
  }

  /**
   * Computes node and edge probabilities from the messages; returns the Bethe approximation of log
   * Z, exact on trees, or minus infinity if the messages leave no labels.
   */
  beliefs(into: GraphBeliefs): number {
    const graph = this.#graph;
    const { labels, nodes, edges, unary, lower, upper, pairs, edgesOf, factorsOf } = graph;
    into.open(graph);
    const cavity = this.#cavity;
    let logZ = 0;
    for (let i = 0; i < nodes; i += 1) {
      this.#gather(i, -1);
      const isPossible = normalise(cavity, 0, labels, into.nodes, i * labels);
      if (!isPossible) return Number.NEGATIVE_INFINITY;
      // A node's count is reduced by one per edge and factor, because they count it too.
      const times = 1 - edgesOf[i]!.length - factorsOf[i]!.length;
      logZ += times * freeEnergy(into.nodes, i * labels, unary, i * labels, labels);
    }
    const other = new Float64Array(labels);
    const scores = new Float64Array(labels * labels);
    const logs = new Float64Array(labels * labels);
    for (let e = 0; e < edges; e += 1) {
      const [one, two] = [lower[e]!, upper[e]!];
      this.#gather(one, e);
      other.set(cavity.subarray(0, labels));
      this.#gather(two, e);
      for (let x = 0; x < labels; x += 1) {
        for (let y = 0; y < labels; y += 1) {
          const pair = pairs[graph.pairAt(e, x, y)]!;
          logs[x * labels + y] = pair + other[x]! + cavity[y]!;
          scores[x * labels + y] = pair + unary[one * labels + x]! + unary[two * labels + y]!;
        }
      }
      const at = graph.pairAt(e, 0, 0);
      const isPossible = normalise(logs, 0, labels * labels, into.pairs, at);
      if (!isPossible) return Number.NEGATIVE_INFINITY;
      logZ += freeEnergy(into.pairs, at, scores, 0, labels * labels);
    }
    for (const [number, { nodes: own, start }] of graph.factors.entries()) {
      const size = labels ** own.length;
      const free = graph.tables.slice(start, start + size);
      const gathered = graph.tables.slice(start, start + size);
      for (const [position, node] of own.entries()) {
        this.#gather(node, edges + number);
        const stride = labels ** (own.length - 1 - position);
        for (let i = 0; i < size; i += 1) {
          const y = Math.floor(i / stride) % labels;
          gathered[i]! += cavity[y]!;
          free[i]! += unary[node * labels + y]!;
        }
      }
      if (!normalise(gathered, 0, size, into.tables, start)) return Number.NEGATIVE_INFINITY;
      logZ += freeEnergy(into.tables, start, free, 0, size);
    }
    return logZ;
  }

  /** Chooses each node's best label by the incoming messages; ties go to the lowest. */
  decide(labels: Int32Array): void {
    for (let i = 0; i < this.#graph.nodes; i += 1) {
      this.#gather(i, -1);
      let best = 0;
      for (let y = 1; y < this.#graph.labels; y += 1) {
        if (this.#cavity[y]! > this.#cavity[best]!) best = y;
      }
      labels[i] = best;
    }
  }

  /** Adds an edge's message to one of its ends to `into`. */
  addMessage(edge: number, toUpper: boolean, into: Float64Array, at: number): void {
    const { labels } = this.#graph;
    const from = (2 * edge + (toUpper ? 0 : 1)) * labels;
    for (let y = 0; y < labels; y += 1) into[at + y]! += this.#sent[from + y]!;
  }

  /**
   * Adds the messages of all factors to a node, except factor number `without - edges`, to `into`.
   */
  addFactorMessages(node: number, into: Float64Array, at: number, without = -1): void {
    const { labels, edges, factors, factorsOf } = this.#graph;
    for (const factor of factorsOf[node]!) {
      if (edges + factor === without) continue;
      const from = (this.#ofFactors[factor]! + factors[factor]!.nodes.indexOf(node)) * labels;
      for (let y = 0; y < labels; y += 1) into[at + y]! += this.#sent[from + y]!;
    }
  }

  /** Numbers the graph's messages; returns how many there are. */
  #number(): number {
    const { edges, factors, labels } = this.#graph;
    this.#ofFactors.length = 0;
    this.#factorOf.length = 0;
    let [count, most] = [2 * edges, 0];
    for (const [factor, { nodes }] of factors.entries()) {
      this.#ofFactors.push(count);
      for (let i = 0; i < nodes.length; i += 1) this.#factorOf.push(factor);
      count += nodes.length;
      most = Math.max(most, nodes.length);
    }
    if (this.#cavities.length < most * labels) this.#cavities = new Float64Array(most * labels);
    return count;
  }

  #flood(count: number, tolerance: number, rounds: number): Propagated {
    const { labels } = this.#graph;
    for (let round = 1; round <= rounds; round += 1) {
      let change = 0;
      for (let m = 0; m < count; m += 1) change = Math.max(change, this.#prepare(m));
      this.#sent.set(this.#next.subarray(0, count * labels));
      if (change < tolerance) return { converged: true, messages: round * count };
    }
    return { converged: count === 0, messages: rounds * count };
  }

  #byResidual(count: number, tolerance: number, most: number): Propagated {
    const { labels, lower, upper, edges, edgesOf, factors, factorsOf } = this.#graph;
    const queue = this.#queue;
    queue.open(count);
    for (let m = 0; m < count; m += 1) queue.set(m, this.#prepare(m));
    for (let messages = 0; ; messages += 1) {
      if (!(queue.highest >= tolerance)) return { converged: true, messages };
      if (messages >= most) return { converged: false, messages };
      const m = queue.take();
      this.#sent.set(this.#next.subarray(m * labels, (m + 1) * labels), m * labels);
      queue.set(m, 0);
      const factor = m < 2 * edges ? -1 : this.#factorOf[m - 2 * edges]!;
      const edge = factor < 0 ? m >> 1 : -1;
      const ofEdge = (m & 1) === 0 ? upper[edge]! : lower[edge]!;
      const to = factor < 0 ? ofEdge : factors[factor]!.nodes[m - this.#ofFactors[factor]!]!;
      for (const further of edgesOf[to]!) {
        if (further === edge) continue;
        const out = 2 * further + (lower[further] === to ? 0 : 1);
        queue.set(out, this.#prepare(out));
      }
      for (const further of factorsOf[to]!) {
        if (further === factor) continue;
        for (const [position, node] of factors[further]!.nodes.entries()) {
          const out = this.#ofFactors[further]! + position;
          if (node !== to) queue.set(out, this.#prepare(out));
        }
      }
    }
  }

  /** Computes a message into `next`; returns the largest change of its exponentials. */
  #prepare(m: number): number {
    const graph = this.#graph;
    const { labels, pairs } = graph;
    if (m >= 2 * graph.edges) {
      this.#prepareFactor(m);
      return this.#finish(m);
    }
    const edge = m >> 1;
    const toUpper = (m & 1) === 0;
    this.#gather(toUpper ? graph.lower[edge]! : graph.upper[edge]!, edge);
    const cavity = this.#cavity;
    const next = this.#next;
    const at = m * labels;
    const step = toUpper ? labels : 1;
    for (let y = 0; y < labels; y += 1) {
      const start = toUpper ? graph.pairAt(edge, 0, y) : graph.pairAt(edge, y, 0);
      let most = Number.NEGATIVE_INFINITY;
      for (let x = 0; x < labels; x += 1) {
        most = Math.max(most, cavity[x]! + pairs[start + x * step]!);
      }
      next[at + y] = most;
      if (!this.#isSum || most === Number.NEGATIVE_INFINITY) continue;
      let sum = 0;
      for (let x = 0; x < labels; x += 1) {
        sum += Math.exp(cavity[x]! + pairs[start + x * step]! - most);
      }
      next[at + y] = most + Math.log(sum);
    }
    return this.#finish(m);
  }

  /** Computes a factor's message to one of its nodes. */
  #prepareFactor(m: number): void {
    const { labels, edges, factors, tables } = this.#graph;
    const factor = this.#factorOf[m - 2 * edges]!;
    const { nodes, start } = factors[factor]!;
    const to = m - this.#ofFactors[factor]!;
    const size = labels ** nodes.length;
    const cavities = this.#cavities;
    for (const [position, node] of nodes.entries()) {
      if (position === to) cavities.fill(0, position * labels, (position + 1) * labels);
      else {
        this.#gather(node, edges + factor);
        cavities.set(this.#cavity.subarray(0, labels), position * labels);
      }
    }
    const scoreAt = (i: number) => {
      let score = tables[start + i]!;
      for (let position = nodes.length - 1, rest = i; position >= 0; position -= 1) {
        score += cavities[position * labels + (rest % labels)]!;
        rest = Math.floor(rest / labels);
      }
      return score;
    };
    const stride = labels ** (nodes.length - 1 - to);
    const next = this.#next;
    const at = m * labels;
    next.fill(Number.NEGATIVE_INFINITY, at, at + labels);
    for (let i = 0; i < size; i += 1) {
      const y = at + (Math.floor(i / stride) % labels);
      next[y] = Math.max(next[y]!, scoreAt(i));
    }
    if (!this.#isSum) return;
    const sums = new Float64Array(labels);
    for (let i = 0; i < size; i += 1) {
      const y = Math.floor(i / stride) % labels;
      const most = next[at + y]!;
      if (most !== Number.NEGATIVE_INFINITY) sums[y]! += Math.exp(scoreAt(i) - most);
    }
    for (let y = 0; y < labels; y += 1) if (sums[y]! > 0) next[at + y]! += Math.log(sums[y]!);
  }

  /** Normalises a message; returns its change. */
  #finish(m: number): number {
    const { labels } = this.#graph;
    const next = this.#next;
    const at = m * labels;
    const whole = this.#isSum ? logSum(next, at, labels) : largest(next, at, labels);
    let change = 0;
    for (let y = at; y < at + labels; y += 1) {
      // A node without any reachable label forbids all labels.
      if (whole !== Number.NEGATIVE_INFINITY) next[y]! -= whole;
      change = Math.max(change, Math.abs(Math.exp(next[y]!) - Math.exp(this.#sent[y]!)));
    }
    return change;
  }

  /**
   * Gathers a node's scores and its incoming messages except one; factors are numbered after edges.
   */
  #gather(node: number, without: number): void {
    const { labels, unary, upper, edgesOf } = this.#graph;
    const cavity = this.#cavity;
    for (let y = 0; y < labels; y += 1) cavity[y] = unary[node * labels + y]!;
    for (const edge of edgesOf[node]!) {
      if (edge !== without) this.addMessage(edge, upper[edge] === node, cavity, 0);
    }
    this.addFactorMessages(node, cavity, 0, without);
  }
}

/** Replaces logarithms by normalised exponentials; returns false if all are minus infinity. */
function normalise(
  logs: Float64Array,
  start: number,
  count: number,
  into: Float64Array,
  at: number,
): boolean {
  const whole = logSum(logs, start, count);
  if (whole === Number.NEGATIVE_INFINITY) return false;
  for (let i = 0; i < count; i += 1) into[at + i] = Math.exp(logs[start + i]! - whole);
  return true;
}

/** Returns the sum of b (score - log b): expected score plus entropy. */
function freeEnergy(
  beliefs: Float64Array,
  at: number,
  scores: Float64Array,
  start: number,
  count: number,
): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) {
    const belief = beliefs[at + i]!;
    if (belief > 0) sum += belief * (scores[start + i]! - Math.log(belief));
  }
  return sum;
}
