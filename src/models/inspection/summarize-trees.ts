import type { RegressionTree } from '../../kernels/store/regression-tree.js';
import type { SplitFeature, TreeStep, TreesSummary } from './model-summary.js';

/** What a summary of trees is made with. */
export interface TreesOptions {
  /** Features that are listed, the most useful first. */
  readonly top: number;
  readonly labels: readonly string[];
  /** Names of features by row, as far as they are known. */
  readonly names: ReadonlyMap<number, string>;
}

/** Sizes of a forest, the features whose splits gained most, and its first tree. Cost O(nodes). */
export function summarizeTrees(
  trees: readonly RegressionTree[],
  { top, labels, names }: TreesOptions,
): TreesSummary {
  const features = new Map<number, { splits: number; gain: number }>();
  for (const { nodes, gains } of trees) {
    let split = 0;
    for (const node of nodes) {
      if (node === 0) continue;
      const known = features.get(node - 1) ?? { splits: 0, gain: 0 };
      known.splits += 1;
      known.gain += gains[split]!;
      features.set(node - 1, known);
      split += 1;
    }
  }
  const named = (row: number) => {
    const name = names.get(row);
    return name === undefined ? { row } : { name, row };
  };
  const ranked = [...features]
    .sort(([a, one], [b, other]) => other.gain - one.gain || a - b)
    .slice(0, top)
    .map(([row, counted]): SplitFeature => ({ ...named(row), ...counted }));
  const sum = (count: (tree: RegressionTree) => number) =>
    trees.reduce((all, tree) => all + count(tree), 0);
  return {
    trees: trees.length,
    leaves: sum(({ sizes }) => sizes.length),
    values: sum(({ values }) => values.length),
    features: features.size,
    splits: ranked,
    first: trees.length === 0 ? [] : stepsOf(trees[0]!, labels, named),
  };
}

/** A tree as the lines of its drawing, in preorder. */
function stepsOf(
  { nodes, sizes, labels: own, values }: RegressionTree,
  labels: readonly string[],
  named: (row: number) => { readonly name?: string; readonly row: number },
): TreeStep[] {
  const steps: TreeStep[] = [];
  let [node, leaf, value] = [0, 0, 0];
  const read = (depth: number, has?: boolean) => {
    const split = nodes[node]!;
    const place = { depth, ...(has === undefined ? {} : { has }) };
    node += 1;
    if (split > 0) {
      steps.push({ ...place, feature: named(split - 1) });
      read(depth + 1, false);
      read(depth + 1, true);
      return;
    }
    const end = value + sizes[leaf]!;
    const found = Array.from(own.subarray(value, end), (label, i) => ({
      label: labels[label]!,
      value: values[value + i]!,
    }));
    found.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    steps.push({ ...place, values: found });
    value = end;
    leaf += 1;
  };
  read(0);
  return steps;
}
