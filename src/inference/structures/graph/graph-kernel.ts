import { InferenceKernel, onceForEach } from '../../../kernels/inference-kernel.js';
import type { Kernel } from '../../../kernels/kernel.js';
import type { Lattice } from '../../../kernels/lattice.js';
import { GraphBeliefs } from './graph-beliefs.js';
import { graphBest, graphSums } from './infer-graph.js';
import { SentenceGraph } from './sentence-graph.js';

/**
 * A kernel whose sums and best labels are those of a lattice with links (`lattice.graph`). A sentence without links is a
 * chain, which the other kernel trains and labels.
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
    // Whoever asks for more than the gradients of training wants float64.
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

/** The kernel for inference over lattices of graphs. */
export const graphKernel = onceForEach(base => new GraphKernel(base));
