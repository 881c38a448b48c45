import type { Reals } from '../arrays.js';
import type { TagstreamError } from '../errors.js';
import type { Minibatch } from '../minibatch/minibatch.js';
import type { LabelMarginals, PairMarginals } from '../sentence/sentence.js';

/** Residuals of the label pairs that survive pruning. */
export interface PrunedResiduals {
  /** Where the pairs of each sentence begin. */
  readonly pairStarts: Uint32Array;
  isPruned(s: number): boolean;
  /**
   * Token t has the labels of the entries `[starts[t], starts[t + 1])`. Pairs of its labels with those of the previous
   * token follow row by row, token by token. The arrays are valid until memory grows.
   */
  lists(): {
    readonly starts: Uint32Array;
    readonly labels: Uint16Array;
    readonly pairs: Reals;
  };
}

/** How sure the parameters are of predicted labels. */
export interface Confidence {
  /** Where the tokens of each sentence begin. */
  readonly sentenceStarts: Uint32Array;
  /** Probability of the predicted label of each token. */
  readonly marginals?: Float64Array;
  /** Probabilities of all labels of each token. */
  readonly labelMarginals?: LabelMarginals;
  /** Probabilities of pairs of neighbouring labels, for each sentence. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** Probability of the predicted labels of each sentence. */
  readonly probabilities?: Float64Array;
  /** Sentences, by number, whose scores are not finite. */
  readonly rejected?: ReadonlyMap<number, TagstreamError>;
}

/**
 * The gradient of the summed losses of a minibatch, in residual form.
 *
 * `residual[t][y] = expected - observed` at token `t` of the minibatch for label `y`, so that the
 * gradient for feature `f` and label `y` is the sum of `value(f, t) * residual[t][y]` over the tokens
 * where `f` is active. Rows are `width` wide; lanes past the last label are zero. The arrays belong to
 * the lattice that made them and are overwritten by the next minibatch: take `detach()` to keep one.
 */
export interface Contribution {
  readonly minibatch: Minibatch;
  /** Lanes in a row. */
  readonly width: number;
  /** `[tokens x width]`. */
  readonly residual: Reals;
  /** `[sentences x labels x width]`, one label-by-label matrix (from, to) for each sentence. */
  readonly transitionResidual: Reals;
  /** `[slots x labels x width]`, for the tokens that have edge features. */
  readonly edgeResidual: Reals;
  /** For each token its slot in `edgeResidual`, or -1. */
  readonly edgeSlots: Int32Array;
  /** Set if labels of tokens were pruned: these sentences have pairs instead of `transitionResidual`. */
  readonly pruned?: PrunedResiduals;
  /** Lanes from one matrix to the next in both arrays above: label capacity times width. */
  readonly matrixSize: number;
  /** Sum of the losses of the labelled sentences. */
  readonly loss: number;
  /** Loss of each sentence. */
  readonly losses: Float64Array;
  /** Labelled sentences and tokens that contributed. */
  readonly sentenceCount: number;
  readonly tokenCount: number;
  /** Best label of each token under the parameters at which the loss was computed, if requested. */
  readonly predicted?: Int32Array;
  /** Score of each sentence's best labels, with `predicted`. */
  readonly predictedScores?: Float64Array;
  /** Probabilities of `predicted`, if requested. */
  readonly confidence?: Confidence;
  /** Version of the parameters at which it was computed. */
  readonly version: number;
  /** Throws if the arrays have been overwritten since. */
  assertCurrent(): void;
  /** Returns a copy that stays valid. */
  detach(): Contribution;
}
