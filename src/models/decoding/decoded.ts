import type { TagstreamError } from '../../core/errors.js';
import type { LabelMarginals } from '../../core/sentence/label-marginals.js';
import type { Span } from '../../core/sentence/span.js';
import type { RankedPath } from '../../inference/n-best.js';

/** One of the best label sequences of a sentence. */
export interface RankedLabels extends RankedPath {
  /** p(y | x). */
  readonly probability: number;
}

/** The labels of all tokens of a minibatch, with the requested results. */
export interface Decoded {
  readonly labels: Int32Array;
  /**
   * Score of each sentence's labels: sum of emission and transition scores, or the votes for them where weights vote; of
   * labels with hidden states the log of the sum over all sequences of their states.
   */
  readonly scores: Float64Array;
  /** p(y_t = chosen | x) of each token. */
  readonly marginals?: Float64Array;
  /** p(y_t = y | x) of each token and label. */
  readonly labelMarginals?: LabelMarginals;
  /** p(y | x) of each sentence's labels. */
  readonly probabilities?: Float64Array;
  /** The best sequences of each sentence. */
  readonly nbest?: readonly (readonly RankedLabels[])[];
  /** The spans of each sentence with their probabilities. */
  readonly spans?: readonly (readonly Span[])[];
  /** Sentences of the batch, by number, whose constraints cannot be met; nothing else holds for them. */
  readonly rejected?: ReadonlyMap<number, TagstreamError>;
}

/** Decoded sentences in the making. */
export type DecodedDraft = { -readonly [Key in keyof Decoded]: Decoded[Key] } & {
  nbest?: RankedLabels[][];
  spans?: Span[][];
};
