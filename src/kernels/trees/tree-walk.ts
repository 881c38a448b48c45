import type { Reals } from '../../core/arrays.js';
import {
  leafStarts,
  previousLabelOf,
  type RegressionTree,
  subtreeEnds,
} from '../store/regression-tree.js';

/** A tree that is walked from its root, for those that have the features of one token after the other. */
export class TreeWalk {
  /** The labels before that splits ask for, ascending. */
  readonly previous: Uint16Array;
  readonly #nodes: Uint32Array;
  /** For each split the node that tokens with its feature go to. */
  readonly #yes: Uint32Array;
  /** For each node how many leaves come before it. */
  readonly #leaves: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #labels: Uint16Array;
  readonly #values: Float32Array;

  /** @param tree of whole nodes: see `subtreeEnds` */
  constructor({ nodes, sizes, labels, values }: RegressionTree) {
    const ends = subtreeEnds(nodes)!;
    this.#nodes = nodes;
    this.#yes = new Uint32Array(nodes.length);
    this.#leaves = new Uint32Array(nodes.length);
    this.#starts = leafStarts(sizes);
    this.#labels = labels;
    this.#values = values;
    const asked = Array.from(nodes, previousLabelOf).filter(label => label >= 0);
    this.previous = Uint16Array.from(new Set(asked)).sort();
    let leaves = 0;
    for (let node = 0; node < nodes.length; node += 1) {
      this.#leaves[node] = leaves;
      if (nodes[node] === 0) leaves += 1;
      else this.#yes[node] = ends[node + 1]!;
    }
  }

  /**
   * Number of the leaf that a token comes to. Cost O(depth).
   *
   * @param active not 0 for the rows of the token's features
   * @param previous the label before; absent: none that a split asks for
   */
  leaf(active: Uint8Array, previous = -1): number {
    const nodes = this.#nodes;
    let node = 0;
    for (let split = nodes[0]!; split !== 0; split = nodes[node]!) {
      const label = previousLabelOf(split);
      const has = label < 0 ? active[split - 1] !== 0 : label === previous;
      node = has ? this.#yes[node]! : node + 1;
    }
    return this.#leaves[node]!;
  }

  /** Splits on the way to a leaf whose feature, or label before, a token there has: their nodes. */
  splits(leaf: number): number[] {
    const found: number[] = [];
    let node = 0;
    while (this.#nodes[node] !== 0) {
      const yes = this.#yes[node]!;
      if (leaf < this.#leaves[yes]!) {
        node += 1;
        continue;
      }
      found.push(this.#nodes[node]!);
      node = yes;
    }
    return found;
  }

  /** Adds `factor` times what a leaf says to a row of scores. */
  addTo(leaf: number, scores: Reals, row: number, factor = 1): void {
    const labels = this.#labels;
    const values = this.#values;
    const end = this.#starts[leaf + 1]!;
    for (let i = this.#starts[leaf]!; i < end; i += 1)
      scores[row + labels[i]!]! += factor * values[i]!;
  }

  /**
   * Adds to a matrix of labels before, one row each, what their leaf says more than the one that `leaf` comes to without a
   * label before. Cost O((1 + labels asked for) x depth).
   */
  addPairs(active: Uint8Array, scores: Reals, matrix: number, width: number): void {
    if (this.previous.length === 0) return;
    const base = this.leaf(active);
    for (const label of this.previous) {
      const leaf = this.leaf(active, label);
      if (leaf === base) continue;
      this.addTo(leaf, scores, matrix + label * width);
      this.addTo(base, scores, matrix + label * width, -1);
    }
  }
}
