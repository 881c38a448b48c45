import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { FurtherScores } from '../further-scores.js';

/** How often graphs were summed over, or their best labels found. */
export interface GraphTally {
  /** By a junction tree or a cut of two labels. */
  exact: number;
  /** By expansions, within their bound. */
  expanded: number;
  /** By loopy belief propagation that converged, and that did not. */
  converged: number;
  unconverged: number;
}

/** The part of a parameter layout that makes tokens nodes of a graph. */
export interface GraphLayout {
  /** Whether neighbours are scored too, by transitions. */
  readonly chained: boolean;
  /** Whether linked tokens score equal labels only, and these not below 0. */
  readonly associative: boolean;
  /** Widest junction tree. */
  readonly maxWidth: number;
  readonly schedule: 'flooding' | 'residual';
  /** Counted since the parameters were made or read. */
  readonly tally: GraphTally;
}

/**
 * The scores of the links of a minibatch, and what inference finds of them, in float64: link `k` of sentence `s` has the
 * square of its labels, the first end's by the second's, at `at(s, k)`.
 */
export class GraphScores implements FurtherScores {
  layout: GraphLayout;
  scores = new Float64Array(0);
  /** Probabilities of pairs of labels, of which losses make residuals. */
  nodes = new Float64Array(0);
  labels = 0;
  #batch: Minibatch | undefined;
  #starts = new Uint32Array(1);

  constructor(layout: GraphLayout) {
    this.layout = layout;
  }

  /** Makes room for a minibatch; the scores have to be written then. */
  open(batch: Minibatch, labels: number): void {
    const { sentences } = batch;
    this.#batch = batch;
    this.labels = labels;
    if (this.#starts.length <= sentences.length) {
      this.#starts = new Uint32Array(2 * sentences.length + 1);
    }
    let links = 0;
    for (const [s, sentence] of sentences.entries()) {
      links += sentence.links?.from.length ?? 0;
      this.#starts[s + 1] = links;
    }
    const count = links * labels * labels;
    if (this.scores.length >= count) return;
    this.scores = new Float64Array(2 * count);
    this.nodes = new Float64Array(2 * count);
  }

  /** Links of sentence `s`. */
  count(s: number): number {
    return this.#starts[s + 1]! - this.#starts[s]!;
  }

  at(s: number, link: number): number {
    return (this.#starts[s]! + link) * this.labels * this.labels;
  }

  residuals(s: number): Float64Array {
    return this.nodes.subarray(this.at(s, 0), this.at(s + 1, 0));
  }

  addPath(s: number, path: Int32Array, first: number, _end: number, amount: number): void {
    const { links } = this.#batch!.sentences[s]!;
    const count = this.count(s);
    for (let k = 0; k < count; k += 1) {
      this.nodes[
        this.pairAt(s, k, path[first + links!.from[k]!]!, path[first + links!.to[k]!]!)
      ]! += amount;
    }
  }

  /** Returns the offset of the score of two labels of a link. */
  pairAt(s: number, link: number, ofFirst: number, ofSecond: number): number {
    return this.at(s, link) + ofFirst * this.labels + ofSecond;
  }
}
