import type { PairGraph } from './pair-graph.js';

/** Probabilities of the labels of a graph's nodes and of the pairs of its edges. */
export class GraphBeliefs {
  /** `[nodes x labels]` p(y_i). */
  nodes = new Float64Array(0);
  /** `[edges x labels x labels]` p(y_i, y_j), laid out as `PairGraph.pairs`. */
  pairs = new Float64Array(0);

  /** Makes room for a graph, all 0. */
  open({ nodes, edges, labels }: PairGraph): void {
    const ofPairs = edges * labels * labels;
    if (this.nodes.length < nodes * labels) this.nodes = new Float64Array(2 * nodes * labels);
    if (this.pairs.length < ofPairs) this.pairs = new Float64Array(2 * ofPairs);
    this.nodes.fill(0, 0, nodes * labels);
    this.pairs.fill(0, 0, ofPairs);
  }
}
