/**
 * A regression tree over the binary features of a token and the previous label, whose leaves are vectors over labels.
 *
 * Nodes are in preorder: a split, the subtree for tokens without its feature, and the subtree for tokens with it. So leaf 0
 * belongs to tokens with none of the features.
 */
export interface RegressionTree {
  /**
   * For each node: 0 for a leaf, 1 + row for a split on a feature, `splitOnPrevious` of a label for a split on the previous
   * label.
   */
  readonly nodes: Uint32Array;
  /** For each split, the improvement of the fit; see `SplitSearch`. */
  readonly gains: Float32Array;
  /** For each leaf, the number of labels with a value. */
  readonly sizes: Uint32Array;
  /** The labels of the leaves, ascending within each, and their values, one leaf after the other. */
  readonly labels: Uint16Array;
  readonly values: Float32Array;
}

/** Returns the node value of a split on the previous label: tokens after `label` count as having the feature. */
export function splitOnPrevious(label: number): number {
  return 0xffffffff - label;
}

/** Returns the previous label on which a node splits; negative for a split on a feature and for a leaf. */
export function previousLabelOf(node: number): number {
  return node > 0xffff0000 ? 0xffffffff - node : -1;
}

/** Returns, for each node of a tree in preorder, the node after its subtree; undefined if the nodes are not a tree. */
export function subtreeEnds(nodes: Uint32Array): Uint32Array | undefined {
  const ends = new Uint32Array(nodes.length);
  for (let node = nodes.length - 1; node >= 0; node -= 1) {
    if (nodes[node] === 0) {
      ends[node] = node + 1;
      continue;
    }
    const yes = ends[node + 1] ?? nodes.length;
    if (yes >= nodes.length) return undefined;
    ends[node] = ends[yes]!;
  }
  return ends[0] === nodes.length ? ends : undefined;
}

/** Returns where the values of each leaf begin, and the end of the last. */
export function leafStarts(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let leaf = 0; leaf < sizes.length; leaf += 1)
    starts[leaf + 1] = starts[leaf]! + sizes[leaf]!;
  return starts;
}
