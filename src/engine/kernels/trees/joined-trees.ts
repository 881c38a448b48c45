import {
  leafStarts,
  previousLabelOf,
  type RegressionTree,
  subtreeEnds,
} from '../store/regression-tree.js';
import { areWeights } from '../store/weights.js';

/** Many trees, concatenated array by array, as in files and checkpoints. */
export interface JoinedTrees extends RegressionTree {
  /** Where each tree's nodes begin, and the end of the last. */
  readonly starts: Uint32Array;
}

/** Concatenates trees. */
export function joinTrees(trees: readonly RegressionTree[]): JoinedTrees {
  const starts = new Uint32Array(trees.length + 1);
  for (const [i, { nodes }] of trees.entries()) starts[i + 1] = starts[i]! + nodes.length;
  return {
    starts,
    nodes: joined(
      trees.map(({ nodes }) => nodes),
      size => new Uint32Array(size),
    ),
    gains: joined(
      trees.map(({ gains }) => gains),
      size => new Float32Array(size),
    ),
    sizes: joined(
      trees.map(({ sizes }) => sizes),
      size => new Uint32Array(size),
    ),
    labels: joined(
      trees.map(({ labels }) => labels),
      size => new Uint16Array(size),
    ),
    values: joined(
      trees.map(({ values }) => values),
      size => new Float32Array(size),
    ),
  };
}

/**
 * Splits joined trees into single trees; returns the problem if they are invalid.
 *
 * @param features number of features
 * @param labelCount number of labels
 */
export function separateTrees(
  { starts, nodes, gains, sizes, labels, values }: JoinedTrees,
  features: number,
  labelCount: number,
): readonly RegressionTree[] | string {
  if (starts.length === 0 || starts[0] !== 0 || starts.at(-1) !== nodes.length) {
    return 'its trees are not complete';
  }
  if (!gains.every(Number.isFinite) || !areWeights(values)) {
    return 'a value of its trees is too large or not finite';
  }
  const isSplit = (node: number) =>
    node <= features || (previousLabelOf(node) >= 0 && previousLabelOf(node) < labelCount);
  if (!nodes.every(isSplit)) return 'a tree splits on no feature and no label';
  const trees: RegressionTree[] = [];
  let [leaf, split, value] = [0, 0, 0];
  for (let i = 0; i + 1 < starts.length; i += 1) {
    if (starts[i + 1]! <= starts[i]!) return 'a tree has no nodes';
    const own = nodes.slice(starts[i]!, starts[i + 1]!);
    if (subtreeEnds(own) === undefined) return 'the nodes of a tree are none';
    const leaves = own.reduce((sum, node) => sum + (node === 0 ? 1 : 0), 0);
    const ownSizes = sizes.slice(leaf, leaf + leaves);
    const size = ownSizes.reduce((sum, each) => sum + each, 0);
    const tree = {
      nodes: own,
      gains: gains.slice(split, split + own.length - leaves),
      sizes: ownSizes,
      labels: labels.slice(value, value + size),
      values: values.slice(value, value + size),
    };
    if (!isWhole(tree, leaves, size, labelCount)) return 'the leaves of a tree are wrong';
    trees.push(tree);
    leaf += leaves;
    split += own.length - leaves;
    value += size;
  }
  const used = leaf === sizes.length && split === gains.length && value === values.length;
  return used && labels.length === values.length ? trees : 'its trees are not complete';
}

function isWhole(
  { nodes, gains, sizes, labels, values }: RegressionTree,
  leaves: number,
  size: number,
  labelCount: number,
): boolean {
  if (gains.length !== nodes.length - leaves || sizes.length !== leaves) return false;
  if (labels.length !== size || values.length !== size) return false;
  const starts = leafStarts(sizes);
  for (let leaf = 0; leaf < leaves; leaf += 1) {
    for (let i = starts[leaf]!; i < starts[leaf + 1]!; i += 1) {
      if (labels[i]! >= labelCount || (i > starts[leaf]! && labels[i]! <= labels[i - 1]!))
        return false;
    }
  }
  return true;
}

function joined<Numbers extends Uint16Array | Uint32Array | Float32Array>(
  parts: readonly Numbers[],
  create: (size: number) => Numbers,
): Numbers {
  const all = create(parts.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const part of parts) {
    all.set(part, next);
    next += part.length;
  }
  return all;
}
