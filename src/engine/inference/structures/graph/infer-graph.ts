import type { GraphLayout } from '../../../kernels/graph/graph-scores.js';
import { bestAssociative } from './alpha-expansion.js';
import { BeliefPropagation } from './belief-propagation.js';
import { JunctionTree } from './junction-tree.js';
import { type GraphBeliefs, PairGraph } from './pair-graph.js';

const propagation = new BeliefPropagation();
const forest = new PairGraph();

/**
 * Computes the label probabilities of a graph's nodes and edges, and returns log Z, minus infinity
 * if no labels are possible: by a junction tree up to `maxWidth`, beyond it by loopy belief
 * propagation with the Bethe log Z.
 */
export function graphSums(
  graph: PairGraph,
  { maxWidth, schedule, tally }: GraphLayout,
  beliefs: GraphBeliefs,
): number {
  const tree = JunctionTree.of(graph, maxWidth);
  if (tree !== undefined) {
    tally.exact += 1;
    return tree.sums(beliefs);
  }
  const { converged } = propagation.run(graph, { schedule, reduce: 'sum' });
  tally[converged ? 'converged' : 'unconverged'] += 1;
  return propagation.beliefs(beliefs);
}

/**
 * Finds the best labels of a graph and their score: by a junction tree up to `maxWidth`, and beyond it by graph
 * cuts for associative potentials (exact for two labels), otherwise by max-product belief propagation.
 */
export function graphBest(
  graph: PairGraph,
  { maxWidth, schedule, associative, chained, tally }: GraphLayout,
  labels: Int32Array,
): number {
  const tree = JunctionTree.of(graph, maxWidth);
  if (tree !== undefined) {
    tally.exact += 1;
    return tree.best(labels);
  }
  if (associative && !chained) {
    tally[graph.labels <= 2 ? 'exact' : 'expanded'] += 1;
    return bestAssociative(graph, labels);
  }
  const { converged } = propagation.run(graph, { schedule, reduce: 'max' });
  tally[converged ? 'converged' : 'unconverged'] += 1;
  return decided(graph, labels);
}

/**
 * Decodes the messages in two ways and returns the better score: each node's best label separately,
 * and the best labels of a spanning forest whose nodes receive the messages of factors and other
 * edges. The latter respects the prohibitions of the forest's edges (the first ones, such as those
 * of a chain).
 */
function decided(graph: PairGraph, labels: Int32Array): number {
  const { nodes, edges, labels: count, lower, upper } = graph;
  propagation.decide(labels);
  const single = graph.score(labels);
  const roots = Int32Array.from({ length: nodes }, (_, i) => i);
  const rootOf = (node: number): number => {
    let root = node;
    while (roots[root] !== root) {
      roots[root] = roots[roots[root]!]!;
      root = roots[root]!;
    }
    return root;
  };
  forest.open(nodes, count);
  forest.unary.set(graph.unary.subarray(0, nodes * count));
  for (let i = 0; i < nodes; i += 1) propagation.addFactorMessages(i, forest.unary, i * count);
  for (let e = 0; e < edges; e += 1) {
    const [one, other] = [lower[e]!, upper[e]!];
    if (rootOf(one) === rootOf(other)) {
      propagation.addMessage(e, true, forest.unary, other * count);
      propagation.addMessage(e, false, forest.unary, one * count);
      continue;
    }
    roots[rootOf(one)] = rootOf(other);
    const own = forest.connect(one, other);
    const from = graph.pairAt(e, 0, 0);
    forest.pairs.set(graph.pairs.subarray(from, from + count ** 2), forest.pairAt(own, 0, 0));
  }
  const joint = labels.slice(0, nodes);
  JunctionTree.of(forest, 1)!.best(joint);
  const score = graph.score(joint);
  if (!(score > single)) return single;
  labels.set(joint);
  return score;
}
