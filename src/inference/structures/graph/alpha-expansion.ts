import { MinCut } from './min-cut.js';
import type { PairGraph } from './pair-graph.js';

const cuts = new MinCut();

/** Moves that better the score by less, relative to it, are rounding. */
const leastGain = 1e-12;

/**
 * The best labels of a graph whose pairs score equal labels only, and these not below 0: of two labels by one cut, exactly;
 * of more by expansions of one label at a time, each the best there is, until none betters the score. The score above
 * that of the worst label of each node is then at least half of the best possible; minus infinity where a node has no
 * label. Cost of a cut for each label and round; rounds are few.
 *
 * Greig, Porteous and Seheult (1989); Boykov, Veksler and Zabih (2001); of associative Markov networks: Taskar, Chatalbashev
 * and Koller (2004).
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

/** Gives some nodes the label, such that no others would be better, where that betters the score; the score then. */
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
  // Of two labels the first cut has said all there is.
  if (!(better > score + leastGain * Math.abs(score)) && Number.isFinite(score)) return score;
  labels.set(moved);
  return better;
}

/** More than all scores together that are not minus infinity: what is forbidden is not worth it. */
function beyondAll({ nodes, edges, labels, unary, pairs }: PairGraph): number {
  let sum = 1;
  for (let i = 0; i < nodes * labels; i += 1) {
    if (unary[i] !== Number.NEGATIVE_INFINITY) sum += Math.abs(unary[i]!);
  }
  for (let i = 0; i < edges * labels ** 2; i += 1) sum += pairs[i]!;
  return sum;
}
