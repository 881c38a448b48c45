import type { RegressionTree } from '../../kernels/store/regression-tree.js';
import { TreeWalk } from '../../kernels/trees/tree-walk.js';

/** What trees say of a token for two labels, by the features that lead to the leaves. */
export interface TreeContribution {
  /** Names of the features of the token on the way to the leaves, `-` where it has none of those asked for. */
  readonly name: string;
  readonly chosen: number;
  readonly other: number;
}

/**
 * Explains what trees add to the scores of a token: leaves that the same of its features lead to, in any order, are
 * one contribution. What a split asks for that the token does not have is left out of the name. Cost of a token:
 * O(trees x depth).
 */
export class TreeContributions {
  readonly #walks: readonly TreeWalk[];
  readonly #active: Uint8Array;
  readonly #labels: number;

  constructor(trees: readonly RegressionTree[], rows: number, labels: number) {
    this.#walks = trees.map(tree => new TreeWalk(tree));
    this.#active = new Uint8Array(rows);
    this.#labels = labels;
  }

  /** @param names of the features of a token, by their rows */
  at(names: ReadonlyMap<number, string>, chosen: number, other: number): TreeContribution[] {
    const sums = new Map<string, { chosen: number; other: number }>();
    const scores = new Float64Array(this.#labels);
    for (const row of names.keys()) this.#active[row] = 1;
    for (const walk of this.#walks) {
      const leaf = walk.leaf(this.#active);
      scores.fill(0);
      walk.addTo(leaf, scores, 0);
      const way = new Set(walk.features(leaf).map(row => names.get(row)!));
      const name = way.size === 0 ? '-' : [...way].sort().join(' & ');
      const sum = sums.get(name) ?? { chosen: 0, other: 0 };
      sum.chosen += scores[chosen]!;
      sum.other += scores[other]!;
      sums.set(name, sum);
    }
    for (const row of names.keys()) this.#active[row] = 0;
    return [...sums].map(([name, sum]) => ({ name, ...sum }));
  }
}
