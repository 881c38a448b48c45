import { requireKnown } from '../core/schema/require-argument.js';
import { ExponentialLoss } from './exponential-loss.js';
import { hingeLoss as hinge } from './hinge-loss.js';
import { jointLoss as joint } from './joint-loss.js';
import { localLogLoss as localLog } from './local-log-loss.js';
import { logLoss as log } from './log-loss.js';
import type { Loss } from './loss.js';
import { perceptronLoss as perceptron } from './perceptron-loss.js';
import { PointwiseExponentialLoss } from './pointwise/pointwise-exponential-loss.js';
import { pointwiseLogLoss as pointwiseLog } from './pointwise/pointwise-log-loss.js';
import { SoftmaxMargin, type SoftmaxMarginOptions } from './softmax-margin.js';

// Losses for programs, with their options. Formulas, costs and sources are documented with the losses themselves.

/**
 * Returns the sequential log loss, -log p(y* | x): the loss of conditional random fields.
 *
 * @example
 * logLoss().name // => 'log'
 */
export function logLoss(): Loss {
  return log;
}

/** Returns the log loss of the scorer `memm`, a sum over single tokens given the previous labels. */
export function localLogLoss(): Loss {
  return localLog;
}

/** Returns the log loss of each token's label separately, -sum_t log p(y*_t | x). */
export function pointwiseLogLoss(): Loss {
  return pointwiseLog;
}

/**
 * Returns the sequential exponential loss, 1 / p(y* | x) - 1.
 *
 * @param options.bound log loss above which the loss is linear, at most 300; default 10
 * @throws TagstreamError `config` for a bound that is not positive, or above 300
 */
export function exponentialLoss(options: { readonly bound?: number } = {}): ExponentialLoss {
  requireKnown('exponentialLoss', options, ['bound']);
  return new ExponentialLoss(options);
}

/**
 * Returns the exponential loss of each token's label, sum_t 1 / p(y*_t | x) - 1.
 *
 * @param options.bound log loss of a token above which the loss is linear, at most 300; default 10
 * @throws TagstreamError `config` for a bound that is not positive, or above 300
 */
export function pointwiseExponentialLoss(
  options: { readonly bound?: number } = {},
): PointwiseExponentialLoss {
  requireKnown('pointwiseExponentialLoss', options, ['bound']);
  return new PointwiseExponentialLoss(options);
}

/**
 * Returns the softmax-margin loss, the log loss with the scores of wrong labels increased by their
 * costs.
 *
 * @param options.cost cost of each wrong label; default 1
 * @param options.missCost cost of the label `O` inside a span; default `cost`
 * @throws TagstreamError `config` if a cost is negative or not a number
 * @example
 * softmaxMargin({ cost: 0.5 }).costs() // => { wrong: 0.5, missed: 0.5, outside: -1 }
 */
export function softmaxMargin(options: SoftmaxMarginOptions = {}): SoftmaxMargin {
  requireKnown('softmaxMargin', options, ['cost', 'missCost', 'outside']);
  return new SoftmaxMargin(options);
}

/**
 * Returns the max-margin loss with Hamming cost: the excess of a wrong sequence's score plus cost over the gold
 * sequence's score.
 */
export function hingeLoss(): Loss {
  return hinge;
}

/**
 * Returns the perceptron loss: the excess of the best sequence's score over the gold sequence's
 * score.
 */
export function perceptronLoss(): Loss {
  return perceptron;
}

/** Returns the loss of counted models, -log p(x, y), for the scorer `hmm`. */
export function jointLoss(): Loss {
  return joint;
}
