import type { ResidualSamples } from './residual-samples.js';
import type { TreeCorpus } from './tree-corpus.js';

/** The best split of a node. */
export interface Split {
  /** Number of the feature in `TreeCorpus.rows`. */
  readonly feature: number;
  readonly gain: number;
}

/** Sums over the tokens of a node, by label. */
export interface NodeSums {
  readonly gradients: Float64Array;
  readonly curvatures: Float64Array;
}

/** What bounds a split. */
export interface SplitOptions {
  /** Added to the curvature of each label. */
  readonly l2: number;
  /** Tokens of the sample that each side has at least. */
  readonly least: number;
}

/**
 * Finds the feature that splits a node best. With G and H the sums of g and h over tokens, for each label, the step
 * -G / (H + l2) lowers the quadratic model of the loss by G^2 / (H + l2) / 2, so that a split gains
 *
 *     sum over y of G+^2 / (H+ + l2) + G-^2 / (H- + l2) - G^2 / (H + l2),
 *
 * + being the tokens with the feature and - those without. With h = 1 and l2 = 0 that is the least-squares fit of CART.
 *
 * One pass over the tokens of the node adds up G+ and H+ of all features. Cost O(their features x their labels), and
 * O(features x labels) of those that occur. Friedman (2001); Chen and Guestrin (2016), section 2.2.
 */
export class SplitSearch {
  readonly #corpus: TreeCorpus;
  readonly #labels: number;
  readonly #options: SplitOptions;
  /** `[features x labels x 2]` G+ and H+; zero but while a node is looked at. */
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

  /** The sums of the samples `order[start..end)`. */
  sums(samples: ResidualSamples, order: Uint32Array, start: number, end: number): NodeSums {
    const gradients = new Float64Array(this.#labels);
    const curvatures = new Float64Array(this.#labels);
    const { starts, labels } = samples;
    for (let i = start; i < end; i += 1) {
      const last = starts[order[i]! + 1]!;
      for (let k = starts[order[i]!]!; k < last; k += 1) {
        gradients[labels[k]!]! += samples.gradients[k]!;
        curvatures[labels[k]!]! += samples.curvatures[k]!;
      }
    }
    return { gradients, curvatures };
  }

  /** The best split of these samples; undefined where none gains. Of equal ones that of the lowest row. */
  best(
    samples: ResidualSamples,
    order: Uint32Array,
    start: number,
    end: number,
    node: NodeSums,
  ): Split | undefined {
    const { least } = this.#options;
    if (end - start < 2 * least) return undefined;
    const touched = this.#add(samples, order, start, end);
    const scores = this.#scores(node);
    let feature = -1;
    let gain = 0;
    for (let i = 0; i < touched; i += 1) {
      const candidate = this.#touched[i]!;
      const count = this.#counts[candidate]!;
      this.#counts[candidate] = 0;
      if (count >= least && end - start - count >= least) {
        const own = this.#gain(candidate, node, scores);
        if (own > gain || (own === gain && own > 0 && candidate < feature)) {
          feature = candidate;
          gain = own;
        }
      }
      const first = candidate * 2 * this.#labels;
      this.#sums.fill(0, first, first + 2 * this.#labels);
    }
    return feature < 0 ? undefined : { feature, gain };
  }

  /** Adds up the samples for each feature; returns how many features occur. */
  #add(samples: ResidualSamples, order: Uint32Array, start: number, end: number): number {
    const { starts: featureStarts, features } = this.#corpus;
    const { tokens, starts, labels, gradients, curvatures } = samples;
    const sums = this.#sums;
    const counts = this.#counts;
    const touched = this.#touched;
    const stride = 2 * this.#labels;
    let found = 0;
    for (let i = start; i < end; i += 1) {
      const sample = order[i]!;
      const token = tokens[sample]!;
      const first = starts[sample]!;
      const last = starts[sample + 1]!;
      const lastFeature = featureStarts[token + 1]!;
      for (let f = featureStarts[token]!; f < lastFeature; f += 1) {
        const feature = features[f]!;
        if (counts[feature] === 0) {
          touched[found] = feature;
          found += 1;
        }
        counts[feature]! += 1;
        const row = feature * stride;
        for (let k = first; k < last; k += 1) {
          const at = row + 2 * labels[k]!;
          sums[at]! += gradients[k]!;
          sums[at + 1]! += curvatures[k]!;
        }
      }
    }
    return found;
  }

  /** G^2 / (H + l2) of a node for each label. */
  #scores({ gradients, curvatures }: NodeSums): Float64Array {
    const { l2 } = this.#options;
    return gradients.map((gradient, y) => score(gradient, curvatures[y]! + l2));
  }

  #gain(feature: number, { gradients, curvatures }: NodeSums, scores: Float64Array): number {
    const { l2 } = this.#options;
    const sums = this.#sums;
    let gain = 0;
    let at = feature * 2 * this.#labels;
    for (let y = 0; y < this.#labels; y += 1) {
      const gradient = sums[at]!;
      const curvature = sums[at + 1]!;
      at += 2;
      if (gradient === 0 && curvature === 0) continue;
      gain +=
        score(gradient, curvature + l2) +
        score(gradients[y]! - gradient, Math.max(0, curvatures[y]! - curvature) + l2) -
        scores[y]!;
    }
    return gain;
  }
}

function score(gradient: number, curvature: number): number {
  return curvature > 0 ? (gradient * gradient) / curvature : 0;
}
