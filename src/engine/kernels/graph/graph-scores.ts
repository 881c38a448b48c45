import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { FurtherScores } from '../further-scores.js';

/** Maximum number of link scores per minibatch: 2 GiB. */
const mostScores = 2 ** 28;

/** Numbers of graphs summed over or decoded, by method. */
export interface GraphTally {
  /** Number solved by a junction tree, or by a cut for two labels. */
  exact: number;
  /** Number solved by expansion moves, within their bound. */
  expanded: number;
  /** Number solved by loopy belief propagation that converged, and that did not. */
  converged: number;
  unconverged: number;
}

/** The part of a parameter layout that makes tokens the nodes of a graph. */
export interface GraphLayout {
  /** Whether neighbouring tokens are also scored, by transitions. */
  readonly chained: boolean;
  /** Whether links score only equal labels, with scores of at least 0. */
  readonly associative: boolean;
  /** Maximum width of a junction tree. */
  readonly maxWidth: number;
  readonly schedule: 'flooding' | 'residual';
  /** Counts since the parameters were created or read. */
  readonly tally: GraphTally;
}

/**
 * The scores of a minibatch's links, and after inference their marginals, in float64: link `k` of sentence `s` has a
 * label-by-label square, first end by second, at `at(s, k)`. Links of more than two tokens follow: their squares form a table
 * indexed by all labels, the last varying fastest.
 */
export class GraphScores implements FurtherScores {
  layout: GraphLayout;
  scores = new Float64Array(0);
  /** Node marginals, which losses turn into residuals. */
  nodes = new Float64Array(0);
  labels = 0;
  #batch: Minibatch | undefined;
  #starts = new Uint32Array(1);

  constructor(layout: GraphLayout) {
    this.layout = layout;
  }

  /**
   * Makes room for a minibatch, whose scores must be written next.
   *
   * @throws TagstreamError `config` for a sentence with links of three tokens encoded with fewer labels, `too-large` for
   *   links with more than 2^28 scores
   */
  open(batch: Minibatch, labels: number): void {
    const { sentences } = batch;
    this.#batch = batch;
    this.labels = labels;
    if (this.#starts.length <= sentences.length) {
      this.#starts = new Uint32Array(2 * sentences.length + 1);
    }
    let links = 0;
    for (const [s, sentence] of sentences.entries()) {
      links += sentence.candidates ?? 0;
      const known = sentence.links?.cliques?.labels ?? labels;
      if (known !== labels) throw withoutLabels();
      this.#starts[s + 1] = links;
    }
    const count = links * labels * labels;
    if (this.scores.length >= count) return;
    if (count > mostScores) throw tooManyScores(links, labels);
    const room = Math.min(2 * count, mostScores);
    this.scores = new Float64Array(room);
    this.nodes = new Float64Array(room);
  }

  /**
   * Returns the number of label squares of sentence `s`: its links of two tokens, and those that make up larger links.
   */
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
    for (let k = 0; k < links!.from.length; k += 1) {
      this.nodes[
        this.pairAt(s, k, path[first + links!.from[k]!]!, path[first + links!.to[k]!]!)
      ]! += amount;
    }
    this.eachClique(s, (nodes, start) => {
      const at = nodes.reduce((sum, node) => sum * this.labels + path[first + node]!, 0);
      this.nodes[start + at]! += amount;
    });
  }

  /** Visits the links of three or more tokens in sentence `s`, with the start of each table. */
  eachClique(s: number, visit: (nodes: readonly number[], start: number) => void): void {
    const { links } = this.#batch!.sentences[s]!;
    if (links?.cliques === undefined) return;
    let start = this.at(s, links.from.length);
    for (const nodes of links.cliques.nodes) {
      visit(nodes, start);
      start += this.labels ** nodes.length;
    }
  }

  /** Returns the offset of the score of two labels of a link. */
  pairAt(s: number, link: number, ofFirst: number, ofSecond: number): number {
    return this.at(s, link) + ofFirst * this.labels + ofSecond;
  }
}

function tooManyScores(squares: number, labels: number): TagstreamError {
  const problem = `the links of a minibatch need ${squares} squares of ${labels} labels, more than there is memory for`;
  return new TagstreamError('too-large', problem, {
    fix: 'use smaller minibatches (batch: { sentences: 1 }), or link fewer tokens',
  });
}

/** Returns the error for links of three or more tokens in sentences encoded before all labels are known, as on a stream. */
export function withoutLabels(): TagstreamError {
  return new TagstreamError(
    'config',
    'links of three or more tokens need the complete label set before training starts',
    {
      fix: 'train in passes over a corpus (train: { epochs }, operator passes), or link two tokens',
    },
  );
}
