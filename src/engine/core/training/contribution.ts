import type { Reals } from '../arrays.js';
import type { TagstreamError } from '../errors.js';
import type { Minibatch } from '../minibatch/minibatch.js';
import type { LabelMarginals, PairMarginals } from '../sentence/sentence.js';

/** The number at tokens for which nothing was predicted, because the model knew no label. */
export const noLabel = -1;

/** Residuals of the label pairs that survive pruning. */
export interface PrunedResiduals {
  /** Offset of each sentence's pairs. */
  readonly pairStarts: Uint32Array;
  isPruned(s: number): boolean;
  /**
   * Returns the label lists: token t has the labels of the entries `[starts[t], starts[t + 1])`.
   * Pairs of its labels with those of the previous token follow row by row, token by token. The
   * arrays are valid until memory grows.
   */
  lists(): {
    readonly starts: Uint32Array;
    readonly labels: Uint16Array;
    readonly pairs: Reals;
  };
}

/** Probabilities that the parameters give to predicted labels. */
export interface Confidence {
  /** Offset of each sentence's tokens. */
  readonly sentenceStarts: Uint32Array;
  /** Probability of the predicted label of each token. */
  readonly marginals?: Float64Array;
  /** Probabilities of all labels of each token. */
  readonly labelMarginals?: LabelMarginals;
  /** Probabilities of pairs of neighbouring labels, per sentence. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** Probability of each sentence's predicted labels. */
  readonly probabilities?: Float64Array;
  /** Their logarithms; present with the probabilities. */
  readonly logProbabilities?: Float64Array;
  /** Errors of sentences whose scores are not finite, by sentence number. */
  readonly rejected?: ReadonlyMap<number, TagstreamError>;
}

/**
 * The gradient of the summed losses of a minibatch, in residual form.
 *
 * `residual[t][y] = expected - observed` at token `t` of the minibatch for label `y`, so that the
 * gradient for feature `f` and label `y` is the sum of `value(f, t) * residual[t][y]` over the
 * tokens where `f` is active. Rows are `width` wide; lanes past the last label are zero. The arrays
 * belong to the lattice that made them, and are overwritten by the next minibatch: `detach()`
 * returns a copy to keep.
 */
export interface Contribution {
  readonly minibatch: Minibatch;
  /** Number of lanes in a row. */
  readonly width: number;
  /** Residuals: `[tokens x width]`. */
  readonly residual: Reals;
  /**
   * Transition residuals: `[sentences x labels x width]`, one label-by-label matrix (from, to) per
   * sentence.
   */
  readonly transitionResidual: Reals;
  /**
   * Residuals of edge features: `[slots x labels x width]`, for the tokens that have edge features.
   */
  readonly edgeResidual: Reals;
  /** Slot of each token in `edgeResidual`, or -1. */
  readonly edgeSlots: Int32Array;
  /** Pair residuals if labels of tokens were pruned, instead of `transitionResidual`. */
  readonly pruned?: PrunedResiduals;
  /**
   * Number of lanes from one matrix to the next in both arrays above: label capacity times width.
   */
  readonly matrixSize: number;
  /** Sum of the losses of the labelled sentences. */
  readonly loss: number;
  /** Loss of each sentence. */
  readonly losses: Float64Array;
  /** Number of labelled sentences that contributed. */
  readonly sentenceCount: number;
  readonly tokenCount: number;
  /**
   * Best label of each token under the parameters for which the loss was computed, if requested; `noLabel` at all
   * tokens of a sentence for which nothing was predicted.
   */
  readonly predicted?: Int32Array;
  /** Score of each sentence's best labels; present with `predicted`. */
  readonly predictedScores?: Float64Array;
  /** Probabilities of `predicted`, if requested. */
  readonly confidence?: Confidence;
  /** Version of the parameters for which the contribution was computed. */
  readonly version: number;
  /** Throws if the arrays have been overwritten since. */
  assertCurrent(): void;
  /** Returns a copy that remains valid. */
  detach(): Contribution;
}
