import type { RegressionTree } from '../../../kernels/store/regression-tree.js';
import type { ResidualSamples } from './residual-samples.js';
import { type NodeSums, type Split, SplitSearch } from './split-search.js';
import type { TreeCorpus } from './tree-corpus.js';

/** What bounds a tree and its steps. */
export interface GrowingOptions {
  /** Splits on the way to a leaf at most. */
  readonly depth: number;
  readonly leaves: number;
  /** Tokens of a leaf at least. */
  readonly leafTokens: number;
  /** What the curvature of a label in a leaf is raised by. */
  readonly l2: number;
  /** The share of a step that is taken. */
  readonly shrinkage: number;
}

/**
 * Values of leaves are multiples of 1 / this: with the longest step, float32 has them and their differences exactly, and
 * their sums are the same in any order.
 */
const parts = 2 ** 20;

/** A step of a leaf before it is shrunk is at most so long: where hardly any curvature is, the quadratic model is wrong. */
const longestStep = 4;

interface Node {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly sums: NodeSums;
  readonly best: Split | undefined;
  without?: Node;
  with?: Node;
}

/**
 * Fits a regression tree to the functional gradient of a sample, the best split first, up to a number of leaves. A leaf
 * has for each label the step -shrinkage G / (H + l2), rounded to a multiple of 2^-20.
 *
 * Cost: that of `SplitSearch` for each node. Gupta, section 2.5; Friedman (2001).
 */
export class TreeGrower {
  readonly #corpus: TreeCorpus;
  readonly #options: GrowingOptions;
  readonly #search: SplitSearch;
  #order = new Uint32Array(0);
  #spare = new Uint32Array(0);

  constructor(corpus: TreeCorpus, labels: number, options: GrowingOptions) {
    this.#corpus = corpus;
    this.#options = options;
    const { l2, leafTokens: least } = options;
    this.#search = new SplitSearch(corpus, labels, { l2, least });
  }

  /** The tree for a sample; undefined where no step would do anything. */
  grow(samples: ResidualSamples): RegressionTree | undefined {
    const { size } = samples;
    if (size === 0) return undefined;
    if (this.#order.length < size) {
      this.#order = new Uint32Array(size);
      this.#spare = new Uint32Array(size);
    }
    for (let i = 0; i < size; i += 1) this.#order[i] = i;
    const root = this.#node(samples, 0, size, 0);
    const open = [root];
    for (let leaves = 1; leaves < this.#options.leaves; leaves += 1) {
      const node = takeBest(open);
      if (node === undefined) break;
      const middle = this.#divide(samples, node, node.best!.feature);
      node.without = this.#node(samples, node.start, middle, node.depth + 1);
      node.with = this.#node(samples, middle, node.end, node.depth + 1);
      open.push(node.without, node.with);
    }
    return this.#written(root);
  }

  #node(samples: ResidualSamples, start: number, end: number, depth: number): Node {
    const sums = this.#search.sums(samples, this.#order, start, end);
    const best =
      depth < this.#options.depth
        ? this.#search.best(samples, this.#order, start, end, sums)
        : undefined;
    return { start, end, depth, sums, best };
  }

  /** Puts the tokens without a feature before those with it, each in their order; returns where the latter begin. */
  #divide({ tokens }: ResidualSamples, { start, end }: Node, feature: number): number {
    const { starts, features } = this.#corpus;
    const order = this.#order;
    let middle = start;
    let spare = 0;
    for (let i = start; i < end; i += 1) {
      const sample = order[i]!;
      const token = tokens[sample]!;
      let f = starts[token]!;
      const last = starts[token + 1]!;
      while (f < last && features[f] !== feature) f += 1;
      if (f < last) {
        this.#spare[spare] = sample;
        spare += 1;
      } else {
        order[middle] = sample;
        middle += 1;
      }
    }
    order.set(this.#spare.subarray(0, spare), middle);
    return middle;
  }

  #written(root: Node): RegressionTree | undefined {
    const tree = { nodes: [], gains: [], sizes: [], labels: [], values: [] } as Growing;
    const write = (node: Node) => {
      if (node.without === undefined || node.with === undefined) {
        tree.nodes.push(0);
        this.#writeLeaf(node.sums, tree);
        return;
      }
      const { feature, gain } = node.best!;
      tree.nodes.push(this.#corpus.rows[feature]! + 1);
      tree.gains.push(gain);
      write(node.without);
      write(node.with);
    };
    write(root);
    if (tree.labels.length === 0) return undefined;
    return {
      nodes: Uint32Array.from(tree.nodes),
      gains: Float32Array.from(tree.gains),
      sizes: Uint32Array.from(tree.sizes),
      labels: Uint16Array.from(tree.labels),
      values: Float32Array.from(tree.values),
    };
  }

  #writeLeaf({ gradients, curvatures }: NodeSums, tree: Growing): void {
    const { l2, shrinkage } = this.#options;
    let size = 0;
    for (let y = 0; y < gradients.length; y += 1) {
      if (gradients[y] === 0) continue;
      const step = -gradients[y]! / (curvatures[y]! + l2);
      const bounded = Math.max(-longestStep, Math.min(longestStep, step));
      const value = Math.round(shrinkage * bounded * parts) / parts;
      if (value === 0) continue;
      tree.labels.push(y);
      tree.values.push(value);
      size += 1;
    }
    tree.sizes.push(size);
  }
}

interface Growing {
  readonly nodes: number[];
  readonly gains: number[];
  readonly sizes: number[];
  readonly labels: number[];
  readonly values: number[];
}

/** Takes the node with the best split out of a list, the earliest of equal ones. */
function takeBest(open: Node[]): Node | undefined {
  let best = -1;
  for (const [i, { best: split }] of open.entries()) {
    if (split === undefined) continue;
    if (best < 0 || split.gain > open[best]!.best!.gain) best = i;
  }
  return best < 0 ? undefined : open.splice(best, 1)[0];
}
