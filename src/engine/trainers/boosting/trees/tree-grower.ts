import type { RegressionTree } from '../../../kernels/store/regression-tree.js';
import type { ResidualSamples } from './residual-samples.js';
import type { TreeCorpus } from './tree-corpus.js';

/** Limits of a tree and of its steps. */
export interface GrowingOptions {
  /** Maximum number of splits on the path to a leaf. */
  readonly depth: number;
  readonly leaves: number;
  /** Minimum number of tokens in a leaf. */
  readonly leafTokens: number;
  /** Amount added to the curvature of a label in a leaf. */
  readonly l2: number;
  /** The factor on a step. */
  readonly shrinkage: number;
}

/**
 * Leaf values are multiples of 1 / `parts`: up to the longest step, they and their differences are exact in float32,
 * and their sums do not depend on the order.
 */
const parts = 2 ** 20;

/** Maximum step of a leaf before shrinkage: with hardly any curvature, the quadratic model is wrong. */
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
 * Fits a regression tree to the functional gradient of a sample, best split first, up to a maximum number of leaves. A
 * leaf's step for each label is -shrinkage G / (H + l2), rounded to a multiple of 2^-20.
 *
 * Cost: one `SplitSearch` per node. Gupta, section 2.5; Friedman (2001).
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

  /** Returns the tree for a sample; undefined if no step would have an effect. */
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

  /**
   * Partitions the tokens of a node into those without and those with a feature, keeping their order; returns where the
   * latter begin.
   */
  #divide({ tokens, previous }: ResidualSamples, { start, end }: Node, feature: number): number {
    const { starts, features, firstPrevious } = this.#corpus;
    const order = this.#order;
    let middle = start;
    let spare = 0;
    for (let i = start; i < end; i += 1) {
      const sample = order[i]!;
      const token = tokens[sample]!;
      let f = starts[token]!;
      const last = starts[token + 1]!;
      while (f < last && features[f] !== feature) f += 1;
      if (f < last || (feature >= firstPrevious && previous[sample] === feature - firstPrevious)) {
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

/** Removes and returns the node with the best split in a list, the earliest on ties. */
function takeBest(open: Node[]): Node | undefined {
  let best = -1;
  for (const [i, { best: split }] of open.entries()) {
    if (split === undefined) continue;
    if (best < 0 || split.gain > open[best]!.best!.gain) best = i;
  }
  return best < 0 ? undefined : open.splice(best, 1)[0];
}

/** The best split of a node. */
interface Split {
  /** Index of the feature in `TreeCorpus.rows`. */
  readonly feature: number;
  readonly gain: number;
}

/** Sums over the tokens of a node, by label. */
interface NodeSums {
  readonly gradients: Float64Array;
  readonly curvatures: Float64Array;
  /** The labels with derivatives at the node's tokens, ascending. */
  readonly labels: Uint16Array;
}

/** Limits of a split. */
interface SplitOptions {
  /** Amount added to the curvature of each label. */
  readonly l2: number;
  /** Minimum number of the sample's tokens on each side. */
  readonly least: number;
}

/**
 * Finds the feature with the best split of a node. With G and H each label's sums of g and h over tokens, the step -G /
 * (H + l2) lowers the quadratic model of the loss by G^2 / (H + l2) / 2, so a split gains
 *
 *     sum over y of G+^2 / (H+ + l2) + G-^2 / (H- + l2) - G^2 / (H + l2),
 *
 * where + marks the tokens with the feature and - those without. With h = 1 and l2 = 0 it is the least-squares fit of
 * CART.
 *
 * One pass over the node's tokens sums G+ and H+ of all features. Cost O(features x labels) for each token, and once
 * for all features and labels that occur. Friedman (2001); Chen and Guestrin (2016), section 2.2.
 */
export class SplitSearch {
  readonly #corpus: TreeCorpus;
  readonly #labels: number;
  readonly #options: SplitOptions;
  /** `[features x labels x 2]`: G+ and H+; zero except while a node is processed. */
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  readonly #touched: Uint32Array;

  constructor(corpus: TreeCorpus, labels: number, options: SplitOptions) {
    this.#corpus = corpus;
    this.#labels = labels;
    this.#options = options;
    const features = corpus.rows.length;
    this.#sums = new Float64Array(features * labels * 2);
    this.#counts = new Uint32Array(features);
    this.#touched = new Uint32Array(features);
  }

  /** Returns the sums over the samples `order[start..end)`. */
  sums(samples: ResidualSamples, order: Uint32Array, start: number, end: number): NodeSums {
    const gradients = new Float64Array(this.#labels);
    const curvatures = new Float64Array(this.#labels);
    const present = new Uint8Array(this.#labels);
    const { starts, labels } = samples;
    for (let i = start; i < end; i += 1) {
      const last = starts[order[i]! + 1]!;
      for (let k = starts[order[i]!]!; k < last; k += 1) {
        const label = labels[k]!;
        gradients[label]! += samples.gradients[k]!;
        curvatures[label]! += samples.curvatures[k]!;
        present[label] = 1;
      }
    }
    const own = Array.from(present.keys()).filter(label => present[label] === 1);
    return { gradients, curvatures, labels: Uint16Array.from(own) };
  }

  /**
   * Returns the best split of the samples `order[start..end)`; undefined if no split gains. Ties go to the lowest row.
   */
  best(
    samples: ResidualSamples,
    order: Uint32Array,
    start: number,
    end: number,
    node: NodeSums,
  ): Split | undefined {
    const { least } = this.#options;
    if (end - start < 2 * least) return undefined;
    const touched = this.#count(samples, order, start, end);
    this.#add(samples, order, start, end);
    const own = this.#ownOf(node);
    let feature = -1;
    let gain = 0;
    for (let i = 0; i < touched; i += 1) {
      const candidate = this.#touched[i]!;
      if (this.#counts[candidate]! > 0) {
        const gained = this.#takeGain(candidate, own);
        if (gained > gain || (gained === gain && gained > 0 && candidate < feature)) {
          feature = candidate;
          gain = gained;
        }
      }
      this.#counts[candidate] = 0;
    }
    return feature < 0 ? undefined : { feature, gain };
  }

  /**
   * Counts the samples of each feature; returns the number of features. Features with too few or too many samples count
   * as absent.
   */
  #count(
    { tokens, previous }: ResidualSamples,
    order: Uint32Array,
    start: number,
    end: number,
  ): number {
    const { starts, features, firstPrevious } = this.#corpus;
    const { least } = this.#options;
    const counts = this.#counts;
    const touched = this.#touched;
    let found = 0;
    for (let i = start; i < end; i += 1) {
      const sample = order[i]!;
      const token = tokens[sample]!;
      const last = starts[token + 1]!;
      const end = previous[sample]! < 0 ? last : last + 1;
      for (let f = starts[token]!; f < end; f += 1) {
        const feature = f < last ? features[f]! : firstPrevious + previous[sample]!;
        if (counts[feature] === 0) {
          touched[found] = feature;
          found += 1;
        }
        counts[feature]! += 1;
      }
    }
    for (let i = 0; i < found; i += 1) {
      const count = counts[touched[i]!]!;
      if (count < least || end - start - count < least) counts[touched[i]!] = 0;
    }
    return found;
  }

  /** Adds up the samples of each feature not excluded by `#count`. */
  #add(samples: ResidualSamples, order: Uint32Array, start: number, end: number): void {
    const { starts: featureStarts, features, firstPrevious } = this.#corpus;
    const { tokens, previous, starts, labels, gradients, curvatures } = samples;
    const sums = this.#sums;
    const counts = this.#counts;
    const stride = 2 * this.#labels;
    for (let i = start; i < end; i += 1) {
      const sample = order[i]!;
      const token = tokens[sample]!;
      const first = starts[sample]!;
      const last = starts[sample + 1]!;
      const lastFeature = featureStarts[token + 1]!;
      const endFeature = previous[sample]! < 0 ? lastFeature : lastFeature + 1;
      for (let f = featureStarts[token]!; f < endFeature; f += 1) {
        const feature = f < lastFeature ? features[f]! : firstPrevious + previous[sample]!;
        if (counts[feature] === 0) continue;
        const row = feature * stride;
        for (let k = first; k < last; k += 1) {
          const at = row + 2 * labels[k]!;
          sums[at]! += gradients[k]!;
          sums[at + 1]! += curvatures[k]!;
        }
      }
    }
  }

  /** Returns the labels with samples at a node, with their sums and G^2 / (H + l2). */
  #ownOf({ gradients, curvatures, labels }: NodeSums): OwnLabels {
    const { l2 } = this.#options;
    const scores = Array.from(labels, y => score(gradients[y]!, curvatures[y]! + l2));
    return {
      labels,
      gradients: Float64Array.from(labels, y => gradients[y]!),
      curvatures: Float64Array.from(labels, y => curvatures[y]!),
      scores: Float64Array.from(scores),
    };
  }

  /** Returns the gain of a feature, and resets its sums to zero. */
  #takeGain(feature: number, { labels, gradients, curvatures, scores }: OwnLabels): number {
    const { l2 } = this.#options;
    const sums = this.#sums;
    const row = feature * 2 * this.#labels;
    let gain = 0;
    for (let i = 0; i < labels.length; i += 1) {
      const at = row + 2 * labels[i]!;
      const gradient = sums[at]!;
      const curvature = sums[at + 1]!;
      if (gradient === 0 && curvature === 0) continue;
      sums[at] = 0;
      sums[at + 1] = 0;
      gain +=
        score(gradient, curvature + l2) +
        score(gradients[i]! - gradient, Math.max(0, curvatures[i]! - curvature) + l2) -
        scores[i]!;
    }
    return gain;
  }
}

/** The labels with samples at a node, and their sums. */
interface OwnLabels {
  readonly labels: Uint16Array;
  readonly gradients: Float64Array;
  readonly curvatures: Float64Array;
  readonly scores: Float64Array;
}

function score(gradient: number, curvature: number): number {
  return curvature > 0 ? (gradient * gradient) / curvature : 0;
}
