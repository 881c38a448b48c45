import type { TagstreamError } from '../../core/errors.js';
import type {
  Alternative,
  LabelMarginals,
  PairMarginals,
  Span,
} from '../../core/sentence/sentence.js';
import type { RankedPath } from '../../inference/n-best.js';
import type { LabelSet } from '../labels/label-set.js';

/** One of the best label sequences of a sentence. */
export interface RankedLabels extends RankedPath {
  /** The probability p(y | x). */
  readonly probability: number;
}

/** Labels of all tokens of a minibatch, with the requested results. */
export interface Decoded {
  readonly labels: Int32Array;
  /**
   * Score of each sentence's labels: the sum of emission and transition scores, or the number of votes if weights
   * vote; for labels with hidden states, the log of the sum over all their state sequences.
   */
  readonly scores: Float64Array;
  /** p(y_t = chosen | x) for each token. */
  readonly marginals?: Float64Array;
  /** p(y_t = y | x) for each token and label. */
  readonly labelMarginals?: LabelMarginals;
  /** p(y_{t-1} = from, y_t = to | x) above the threshold, for each sentence. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** p(y | x) of each sentence's labels. */
  readonly probabilities?: Float64Array;
  /** The best sequences of each sentence. */
  readonly nbest?: readonly (readonly RankedLabels[])[];
  /** The spans of each sentence with their probabilities. */
  readonly spans?: readonly (readonly Span[])[];
  /**
   * Numbers of sentences in the batch whose constraints cannot be met, with their errors; their
   * other results are undefined.
   */
  readonly rejected?: ReadonlyMap<number, TagstreamError>;
}

/** Decoded sentences under construction. */
export type DecodedDraft = { -readonly [Key in keyof Decoded]: Decoded[Key] } & {
  nbest?: RankedLabels[][];
  spans?: Span[][];
  pairMarginals?: PairMarginals[];
};

/**
 * Returns label sequences with their labels' names.
 *
 * @example
 * alternatives([{ labels: Int32Array.of(1, 0), score: 2, probability: 0.5 }], ['O', 'X'])
 * // => [{ tags: ['X', 'O'], score: 2, probability: 0.5 }]
 */
export function alternatives(
  paths: readonly RankedLabels[],
  names: readonly string[],
): Alternative[] {
  return paths.map(({ labels, score, probability }) => {
    const tags: string[] = [];
    // No iterator, which would take as long as finding the labels.
    for (let t = 0; t < labels.length; t += 1) tags.push(names[labels[t]!]!);
    return { tags, score, probability };
  });
}

/** Tags reported for labels. */
export interface ReportedLabels {
  /** The tags, without duplicates. */
  readonly tags: readonly string[];
  /** Index of each label's tag. */
  readonly columns: Int32Array;
}

/**
 * Returns the tags reported for labels: labels of another scheme and states of the same label can share a tag.
 *
 * @example
 * const { tags, columns } = reportedLabels(new LabelSet(['O', 'B-X'], 2));
 * [tags, Array.from(columns)] // => [['O', 'B-X'], [0, 0, 1, 1]]
 */
export function reportedLabels({ reported }: LabelSet): ReportedLabels {
  const places = new Map<string, number>();
  const columns = Int32Array.from(reported, tag => {
    const place = places.get(tag) ?? places.size;
    places.set(tag, place);
    return place;
  });
  return { tags: [...places.keys()], columns };
}

/** Returns the label pairs of a sentence without tokens. */
export function noPairs({ tags }: ReportedLabels): PairMarginals {
  const none = new Uint32Array(0);
  return {
    ...{ labels: tags, starts: new Uint32Array(1), from: none, to: none },
    values: new Float64Array(0),
  };
}

/** Allocates the probabilities of all labels for `tokens` tokens, all 0. */
export function emptyMarginals({ tags }: ReportedLabels, tokens: number): LabelMarginals {
  return { labels: tags, values: new Float64Array(tokens * tags.length) };
}
