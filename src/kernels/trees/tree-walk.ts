import { leafStarts, type RegressionTree, subtreeEnds } from '../store/regression-tree.js';

/** A tree that is walked from its root, for those that have the features of one token after the other. */
export class TreeWalk {
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
   */
  leaf(active: Uint8Array): number {
    const nodes = this.#nodes;
    let node = 0;
    for (let split = nodes[0]!; split !== 0; split = nodes[node]!) {
      node = active[split - 1] === 0 ? node + 1 : this.#yes[node]!;
    }
    return this.#leaves[node]!;
  }

  /** Splits on the way to a leaf whose feature a token there has, by their rows. */
  features(leaf: number): number[] {
    const found: number[] = [];
    let node = 0;
    while (this.#nodes[node] !== 0) {
      const yes = this.#yes[node]!;
      if (leaf < this.#leaves[yes]!) {
        node += 1;
        continue;
      }
      found.push(this.#nodes[node]! - 1);
      node = yes;
    }
    return found;
  }

  /** Adds what a leaf says to a row of scores. */
  addTo(leaf: number, scores: Float64Array, row: number): void {
    const labels = this.#labels;
    const values = this.#values;
    const end = this.#starts[leaf + 1]!;
    for (let i = this.#starts[leaf]!; i < end; i += 1) scores[row + labels[i]!]! += values[i]!;
  }
}
