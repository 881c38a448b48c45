import { TagstreamError } from '../core/errors.js';
import { requireKnown } from '../core/schema/require-argument.js';
import { exponentials } from '../inference/forward-backward.js';
import type { Lattice } from '../kernels/lattice.js';
import { type LabelCosts, labelCosts } from './label-costs.js';
import { logLoss } from './log-loss.js';
import type { Loss, LossContext } from './loss.js';
import { keepingRows } from './residuals/keeping-rows.js';

/** The costs of wrong labels. */
export interface SoftmaxMarginOptions {
  /** Cost of each wrong label, at least 0. Default 1. */
  readonly cost?: number | undefined;
  /** Cost of predicting the label `O` inside a span. Default: `cost`. */
  readonly missCost?: number | undefined;
  /**
   * Returns the number of that label, -1 until it is known; `train` and `createLearner` take it from the
   * model.
   */
  readonly outside?: (() => number) | undefined;
}

/**
 * The softmax-margin loss, log sum_y exp(score(y) + cost(y, y*)) - score(y*).
 *
 * cost(y, y*) sums the costs of the labels y_t that differ from y*_t: with costs of 0, this is the log loss; it is an
 * upper bound on the margin loss with the same costs. Residuals: p'(y_t = y | x) - [y*_t = y], and likewise for the
 * edges, with p' proportional to exp(score + cost). Convex. For a partially labelled sentence, all allowed sequences
 * replace y*, and only disallowed labels have a cost. Cost O(T L^2) per sentence. Gimpel and Smith (2010).
 *
 * The margin is score(y*) - log sum_{y != y*} exp(score(y) + cost(y, y*)), which the loss l determines: -log(exp(l) -
 * 1). It is at most score(y*) minus the largest term of the sum. If the margin is negative, the other sequences
 * together are more probable.
 *
 * @example
 * new SoftmaxMargin({ cost: 0.5 }).costs() // => { wrong: 0.5, missed: 0.5, outside: -1 }
 */
export class SoftmaxMargin implements Loss {
  readonly name = 'softmax-margin';
  readonly summary = 'the log loss with wrong labels scored higher by what they cost';
  readonly example = 'contribute: { loss: softmax-margin }';
  readonly predicts = false;
  readonly smooth = true;
  readonly anyStructure = true;
  /** Whether labels have different costs. */
  readonly seesLabels: boolean;
  readonly #options: SoftmaxMarginOptions;

  /** @throws TagstreamError `config` if a cost is negative or not a number */
  constructor(options: SoftmaxMarginOptions = {}) {
    requireKnown('SoftmaxMargin', options, ['cost', 'missCost', 'outside']);
    for (const cost of [options.cost ?? 0, options.missCost ?? 0]) {
      if (cost >= 0 && cost < Number.POSITIVE_INFINITY) continue;
      throw new TagstreamError('config', `${cost} is not a valid cost of a wrong label`, {
        fix: 'give a cost of at least 0; 0 is the log loss',
      });
    }
    const { cost = 1, missCost = cost } = options;
    this.seesLabels = missCost !== cost;
    this.#options = options;
  }

  /** Returns the current cost of each label, as plain data. */
  costs(): LabelCosts {
    const { cost = 1, missCost = cost, outside } = this.#options;
    return { wrong: cost, missed: missCost, outside: outside?.() ?? -1 };
  }

  /** Takes the number of the label `O` from the context if it is needed but not given. */
  inTraining({ outside }: LossContext): SoftmaxMargin {
    if (!this.seesLabels || this.#options.outside !== undefined) return this;
    return new SoftmaxMargin({ ...this.#options, outside });
  }

  untrained(labels: number): number {
    const { wrong, missed } = this.costs();
    return Math.log(1 + (labels - 1) * Math.exp(Math.max(wrong, missed)));
  }

  margin(loss: number): number {
    const positive = Math.max(0, loss);
    return 0 - positive - Math.log(-Math.expm1(-positive));
  }

  apply: Loss['apply'] = (kernel, lattice, s, gold, predicted) => {
    // The exponentials of the whole batch are computed together and must exclude this sentence's
    // costs.
    exponentials(kernel, lattice);
    return keepingRows(lattice, s, lattice.emissionScores, () =>
      keepingRows(lattice, s, lattice.expEmissions, () => {
        addCosts(lattice, s, labelCosts(lattice, s, gold, this.costs()));
        return logLoss.apply(kernel, lattice, s, gold, predicted);
      }),
    );
  };
}

/** The softmax-margin loss in which each wrong label costs 1. */
export const softmaxMarginLoss: Loss = new SoftmaxMargin();

/** Adds costs to the emission scores of sentence `s`; updates their exponentials with the same maxima. */
function addCosts(lattice: Lattice, s: number, costs: Float64Array): void {
  const { sentenceStarts } = lattice.batch!;
  const base = sentenceStarts[s]! * lattice.width;
  const end = sentenceStarts[s + 1]! * lattice.width;
  const scores = lattice.emissionScores.view;
  const exps = lattice.expEmissions.view;
  // Most labels cost the same as the previous one.
  let last = 0;
  let factor = 1;
  for (let i = base; i < end; i += 1) {
    const cost = costs[i - base]!;
    if (cost === 0) continue;
    if (cost !== last) factor = Math.exp(cost);
    last = cost;
    scores[i]! += cost;
    exps[i]! *= factor;
  }
}
