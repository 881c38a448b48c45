import { InferenceKernel, type Kernel, onceForEach } from '../../../kernels/kernel.js';
import type { Lattice } from '../../../kernels/lattice.js';
import type { PairSums } from '../../marginals/pair-marginals.js';
import { graphBest, graphSums } from './infer-graph.js';
import { GraphBeliefs, PairGraph } from './pair-graph.js';

/**
 * The graph of one sentence of a scored lattice: its tokens, their transitions (if scored), and
 * their links.
 */
class SentenceGraph {
  readonly graph = new PairGraph();
  #lattice!: Lattice;
  #s = 0;
  #first = 0;
  #end = 0;
  /** The edge of the transition into each token, and the edges of links. */
  #transitions = new Int32Array(0);
  #links = new Int32Array(0);

  /**
   * Builds the sentence's graph. Cost O((tokens + links) * labels^2), and labels^k per link of k
   * tokens.
   */
  open(lattice: Lattice, s: number): PairGraph {
    const { graph } = this;
    const { labels, width } = lattice;
    const scores = lattice.graph!;
    this.#lattice = lattice;
    this.#s = s;
    this.#first = lattice.batch!.sentenceStarts[s]!;
    this.#end = lattice.batch!.sentenceStarts[s + 1]!;
    const length = this.#end - this.#first;
    graph.open(length, labels);
    const emissions = lattice.emissionScores.view;
    for (let t = 0; t < length; t += 1) {
      const row = (this.#first + t) * width;
      for (let y = 0; y < labels; y += 1) graph.unary[t * labels + y] = emissions[row + y]!;
    }
    if (this.#transitions.length < length) this.#transitions = new Int32Array(2 * length);
    const links = this.#pairs();
    if (this.#links.length < links) this.#links = new Int32Array(2 * links);
    if (scores.layout.chained) {
      for (let t = 1; t < length; t += 1) {
        const edge = graph.connect(t - 1, t);
        this.#transitions[t] = edge;
        const [table, start] = this.#transitionAt(t);
        this.#eachPair((x, y) => {
          graph.pairs[graph.pairAt(edge, x, y)]! += table[start + x * width + y]!;
        });
      }
    }
    for (let k = 0; k < links; k += 1) {
      const [from, to] = this.#ends(k);
      const edge = graph.connect(from, to);
      this.#links[k] = edge;
      const start = scores.at(s, k);
      this.#eachPair((x, y) => {
        const at = from < to ? graph.pairAt(edge, x, y) : graph.pairAt(edge, y, x);
        graph.pairs[at]! += scores.scores[start + x * labels + y]!;
      });
    }
    scores.eachClique(s, (nodes, from) => {
      const start = graph.addFactor(nodes);
      graph.tables.set(scores.scores.subarray(from, from + labels ** nodes.length), start);
    });
    return graph;
  }

  /** Writes probabilities to the tables that losses and decoders read. */
  place(beliefs: GraphBeliefs): void {
    const lattice = this.#lattice;
    const scores = lattice.graph!;
    const { graph } = this;
    const { labels, width, matrixSize } = lattice;
    const nodes = lattice.nodes.view;
    for (let t = this.#first; t < this.#end; t += 1) {
      const from = (t - this.#first) * labels;
      for (let y = 0; y < labels; y += 1) nodes[t * width + y] = beliefs.nodes[from + y]!;
      nodes.fill(0, t * width + labels, (t + 1) * width);
    }
    const sums = lattice.transitions.view;
    const base = lattice.pairSumsAt(this.#s);
    if (lattice.readsPairSums) sums.fill(0, base, base + matrixSize);
    for (let t = 1; scores.layout.chained && t < this.#end - this.#first; t += 1) {
      const edge = this.#transitions[t]!;
      const slot = lattice.edgeSlots[this.#first + t]!;
      const edges = lattice.edges.view;
      if (slot >= 0) edges.fill(0, slot * matrixSize, (slot + 1) * matrixSize);
      this.#eachPair((x, y) => {
        const belief = beliefs.pairs[graph.pairAt(edge, x, y)]!;
        if (lattice.readsPairSums) sums[base + x * width + y]! += belief;
        if (slot >= 0) edges[slot * matrixSize + x * width + y] = belief;
      });
    }
    for (let k = 0; k < this.#pairs(); k += 1) {
      const edge = this.#links[k]!;
      const [from, to] = this.#ends(k);
      const start = scores.at(this.#s, k);
      this.#eachPair((x, y) => {
        const at = from < to ? graph.pairAt(edge, x, y) : graph.pairAt(edge, y, x);
        scores.nodes[start + x * labels + y] = beliefs.pairs[at]!;
      });
    }
    let number = 0;
    scores.eachClique(this.#s, (nodes, into) => {
      const { start } = graph.factors[number]!;
      scores.nodes.set(beliefs.tables.subarray(start, start + labels ** nodes.length), into);
      number += 1;
    });
  }

  /** Adds the pairs of neighbouring tokens; each pair is an edge. */
  sumPairs(beliefs: GraphBeliefs, sums: PairSums): void {
    const { graph } = this;
    const { columns } = sums;
    const length = this.#end - this.#first;
    sums.open(length);
    for (let t = 0; t < length; t += 1) {
      for (let y = 0; y < graph.labels; y += 1) {
        sums.addLabel(columns[y]!, beliefs.nodes[t * graph.labels + y]!);
      }
      if (t > 0) {
        const edge = this.#transitions[t]!;
        this.#eachPair((x, y) => {
          sums.add(columns[x]!, columns[y]!, beliefs.pairs[graph.pairAt(edge, x, y)]!);
        });
      }
      sums.next();
    }
  }

  /** Returns the number of links between two tokens. */
  #pairs(): number {
    return this.#lattice.batch!.sentences[this.#s]!.links?.from.length ?? 0;
  }

  #ends(link: number): [number, number] {
    const { links } = this.#lattice.batch!.sentences[this.#s]!;
    return [links!.from[link]!, links!.to[link]!];
  }

  /** Returns the scores of the transition into a token, and their offset. */
  #transitionAt(t: number): [ArrayLike<number>, number] {
    const { edgeSlots, edgeScores, transitionScores, matrixSize } = this.#lattice;
    const slot = edgeSlots[this.#first + t]!;
    return slot < 0 ? [transitionScores.view, 0] : [edgeScores.view, slot * matrixSize];
  }

  #eachPair(visit: (one: number, other: number) => void): void {
    const { labels } = this.#lattice;
    for (let x = 0; x < labels; x += 1) for (let y = 0; y < labels; y += 1) visit(x, y);
  }
}

/**
 * A kernel whose sums and best labels are those of a lattice with links (`lattice.graph`). A
 * sentence without links is a chain and is left to the base kernel.
 */
export class GraphKernel extends InferenceKernel {
  readonly name = 'graph';
  readonly #base: Kernel;
  readonly #sentence = new SentenceGraph();
  readonly #beliefs = new GraphBeliefs();
  #labels = new Int32Array(0);

  constructor(base: Kernel) {
    super(base);
    this.#base = base;
  }

  forwardBackwardScaled(lattice: Lattice, s: number): number {
    // Everything except training gradients needs float64.
    const isChain = isChained(lattice, s) && !lattice.closedTokens && lattice.keepsPairSums;
    if (isChain) return this.#base.forwardBackwardScaled(lattice, s);
    return this.forwardBackwardLog(lattice, s);
  }

  forwardBackwardLog(lattice: Lattice, s: number): number {
    const { layout } = lattice.graph!;
    const graph = this.#sentence.open(lattice, s);
    const logZ = graphSums(graph, layout, this.#beliefs);
    if (Number.isFinite(logZ)) this.#sentence.place(this.#beliefs);
    return logZ;
  }

  viterbi(lattice: Lattice, s: number, labels: Int32Array): number {
    if (isChained(lattice, s)) return this.#base.viterbi(lattice, s, labels);
    const { layout } = lattice.graph!;
    const graph = this.#sentence.open(lattice, s);
    if (this.#labels.length < graph.nodes) this.#labels = new Int32Array(2 * graph.nodes);
    const score = graphBest(graph, layout, this.#labels);
    labels.set(this.#labels.subarray(0, graph.nodes), lattice.batch!.sentenceStarts[s]!);
    return score;
  }

  /** Adds the neighbouring label pairs of the sentence that `forwardBackwardLog` ran on last. */
  sumPairs(sums: PairSums): void {
    this.#sentence.sumPairs(this.#beliefs, sums);
  }

  pathScore(lattice: Lattice, s: number, path: Int32Array): number {
    const { sentenceStarts } = lattice.batch!;
    if (isChained(lattice, s)) return this.#base.pathScore(lattice, s, path);
    const graph = this.#sentence.open(lattice, s);
    return graph.score(path.subarray(sentenceStarts[s]!, sentenceStarts[s + 1]!));
  }
}

function isChained({ graph }: Lattice, s: number): boolean {
  return graph!.layout.chained && graph!.count(s) === 0;
}

/** Returns the inference kernel for graph lattices. */
export const graphKernel = onceForEach(base => new GraphKernel(base));
