import type { Reals } from '../../core/arrays.js';
import {
  leafStarts,
  previousLabelOf,
  type RegressionTree,
  subtreeEnds,
} from '../store/regression-tree.js';

/** A tree that is walked from the root, token by token. */
export class TreeWalk {
  /** The previous labels on which the tree splits, ascending. */
  readonly previous: Uint16Array;
  readonly #nodes: Uint32Array;
  /** For each split, the next node for tokens with its feature. */
  readonly #yes: Uint32Array;
  /** For each node, the number of leaves before it. */
  readonly #leaves: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #labels: Uint16Array;
  readonly #values: Float32Array;
  /** The splits on labels along a token's path. */
  readonly #asking: Uint32Array;

  /** @param tree a complete tree: see `subtreeEnds` */
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
    this.#asking = new Uint32Array(this.previous.length);
    let leaves = 0;
    for (let node = 0; node < nodes.length; node += 1) {
      this.#leaves[node] = leaves;
      if (nodes[node] === 0) leaves += 1;
      else this.#yes[node] = ends[node + 1]!;
    }
  }

  /**
   * Returns the index of a token's leaf. Cost O(depth).
   *
   * @param active nonzero for the rows of the token's features
   * @param previous the previous label; default: one on which no split depends
   */
  leaf(active: Uint8Array, previous = -1): number {
    return this.#leafFrom(0, active, previous);
  }

  #leafFrom(start: number, active: Uint8Array, previous: number): number {
    const nodes = this.#nodes;
    let node = start;
    for (let split = nodes[node]!; split !== 0; split = nodes[node]!) {
      const label = previousLabelOf(split);
      const has = label < 0 ? active[split - 1] !== 0 : label === previous;
      node = has ? this.#yes[node]! : node + 1;
    }
    return this.#leaves[node]!;
  }

  /** Returns those splits on the path to a leaf whose feature, or previous label, its tokens have. */
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

  /** Adds `factor` times the values of a leaf to a row of scores. */
  addTo(leaf: number, scores: Reals, row: number, factor = 1): void {
    const labels = this.#labels;
    const values = this.#values;
    const end = this.#starts[leaf + 1]!;
    for (let i = this.#starts[leaf]!; i < end; i += 1)
      scores[row + labels[i]!]! += factor * values[i]!;
  }

  /**
   * Adds, in each previous label's row of a matrix, the difference between the leaf for that label and the leaf
   * without a previous label. Cost O((1 + splits on labels on the path to that leaf) x depth).
   */
  addPairs(active: Uint8Array, scores: Reals, matrix: number, width: number): void {
    if (this.previous.length === 0) return;
    const nodes = this.#nodes;
    const asking = this.#asking;
    let asked = 0;
    let node = 0;
    for (let split = nodes[0]!; split !== 0; split = nodes[node]!) {
      const label = previousLabelOf(split);
      if (label < 0) {
        node = active[split - 1] === 0 ? node + 1 : this.#yes[node]!;
        continue;
      }
      // For a repeated label, the first split on it has already branched off.
      if (!this.#asks(label, asked)) {
        asking[asked] = node;
        asked += 1;
      }
      node += 1;
    }
    const base = this.#leaves[node]!;
    for (let i = 0; i < asked; i += 1) {
      const label = previousLabelOf(nodes[asking[i]!]!);
      const row = matrix + label * width;
      this.addTo(this.#leafFrom(this.#yes[asking[i]!]!, active, label), scores, row);
      this.addTo(base, scores, row, -1);
    }
  }

  #asks(label: number, asked: number): boolean {
    for (let i = 0; i < asked; i += 1) {
      if (previousLabelOf(this.#nodes[this.#asking[i]!]!) === label) return true;
    }
    return false;
  }
}
