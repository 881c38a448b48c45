import type { Random } from '../../../../src/engine/core/random.js';
import {
  type RegressionTree,
  splitOnPrevious,
} from '../../../../src/engine/kernels/store/regression-tree.js';

/** A random tree; a feature may split again below itself, and so may a label before where `previous` says so. */
export function randomTree(
  random: Random,
  {
    leaves,
    features,
    labels,
    previous = false,
  }: { leaves: number; features: number; labels: number; previous?: boolean },
): RegressionTree {
  const tree = { nodes: [] as number[], sizes: [] as number[] };
  const own: [number, number][] = [];
  const write = (left: number) => {
    if (left === 1) {
      tree.nodes.push(0);
      const of = Array.from({ length: labels }, (_, y) => y).filter(() => random.below(2) === 0);
      for (const y of of) own.push([y, Math.fround(random.normal())]);
      tree.sizes.push(of.length);
      return;
    }
    const asksLabel = previous && random.below(3) === 0;
    tree.nodes.push(asksLabel ? splitOnPrevious(random.below(labels)) : 1 + random.below(features));
    const first = 1 + random.below(left - 1);
    write(first);
    write(left - first);
  };
  write(leaves);
  return {
    nodes: Uint32Array.from(tree.nodes),
    gains: Float32Array.from({ length: leaves - 1 }, () => random.uniform()),
    sizes: Uint32Array.from(tree.sizes),
    labels: Uint16Array.from(own, ([y]) => y),
    values: Float32Array.from(own, ([, value]) => value),
  };
}

/** What a tree says of a token with these features (and `splitOnPrevious` of a label less 1), by following its definition node by node. */
export function valuesOf(
  tree: RegressionTree,
  active: ReadonlySet<number>,
  labels: number,
): number[] {
  let node = 0;
  let leaf = 0;
  let value = 0;
  let found: number[] | undefined;
  /** Reads a subtree; `reached` says whether the token comes there. */
  const read = (reached: boolean) => {
    const split = tree.nodes[node]!;
    node += 1;
    if (split === 0) {
      const end = value + tree.sizes[leaf]!;
      if (reached) {
        found = new Array<number>(labels).fill(0);
        for (let i = value; i < end; i += 1) found[tree.labels[i]!] = tree.values[i]!;
      }
      leaf += 1;
      value = end;
      return;
    }
    read(reached && !active.has(split - 1));
    read(reached && active.has(split - 1));
  };
  read(true);
  return found!;
}
