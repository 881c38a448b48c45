/**
 * A regression tree over the binary features of a token, and the label before it, whose leaves are vectors over labels.
 *
 * Its nodes are in preorder: a split, then what it says of tokens without its feature, then what it says of those that
 * have it. So leaves are numbered from the one that a token without any of the features comes to.
 */
export interface RegressionTree {
  /**
   * For each node 0 where it is a leaf, else the row of the feature it splits on, plus 1; `splitOnPrevious` of a label where it
   * asks for the label before.
   */
  readonly nodes: Uint32Array;
  /** For each split by how much it made the fit better, see `SplitSearch`. */
  readonly gains: Float32Array;
  /** For each leaf how many labels it has a value for. */
  readonly sizes: Uint32Array;
  /** The labels of the leaves, ascending in each, and their values, one leaf after the other. */
  readonly labels: Uint16Array;
  readonly values: Float32Array;
}

/** The node of a split on the label before a token: those that follow `label` go where tokens with a feature go. */
export function splitOnPrevious(label: number): number {
  return 0xffffffff - label;
}

/** The label before that a node asks for, negative where it asks for none. */
export function previousLabelOf(node: number): number {
  return node > 0xffff0000 ? 0xffffffff - node : -1;
}

/** For each node of a tree in preorder the node after its subtree; undefined where the nodes are no tree. */
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

/** Where the values of each leaf begin, and the end of all. */
export function leafStarts(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let leaf = 0; leaf < sizes.length; leaf += 1)
    starts[leaf + 1] = starts[leaf]! + sizes[leaf]!;
  return starts;
}
