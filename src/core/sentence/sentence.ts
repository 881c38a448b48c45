import type { Delivery } from '../delivery/delivery.js';
import { TagstreamError } from '../errors.js';
import type { Column, Constraints, Document, Range } from './document.js';
import type { PartialTag } from './partial-tag.js';

/** One sentence: the unit that is featurized, trained on and decoded. */
export interface Sentence {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Gold tags, one per token. */
  readonly tags?: readonly string[];
  /** What is known of the gold tags if some are unknown or ambiguous; then `tags` is absent. */
  readonly partialTags?: readonly PartialTag[];
  /** The weight of the sentence in training; default: 1. */
  readonly weight?: number;
  /** Constraints on its labels, by token of the sentence. */
  readonly constraints?: Constraints;
  /** Start and end of each token in UTF-16 units of the document's text. */
  readonly offsets?: readonly Range[];
  /** Tokens of the sentence that are the words of a multiword token of its text, where there are some. */
  readonly multiword?: readonly Range[];
  readonly document: Document;
  /** The previous context in its document, for models that read it. */
  readonly context?: ContextColumns;
  /** Which of the document's sentences this is: `index` of `count`, its first token at `start`. */
  readonly part: { readonly index: number; readonly count: number; readonly start: number };
  readonly delivery?: Delivery;
  /** The result of the previous tagger, whose tags are one of its columns. */
  readonly tagged?: TaggedSentence;
}

/** Results of taggers by the name of their column: one value per token. */
export type Results = Readonly<Record<string, readonly string[]>>;

/** A tagged sentence: `tags` are the predicted tags, `gold` its gold tags. */
export interface TaggedSentence extends Omit<Sentence, 'tags' | 'tagged'> {
  readonly tags: readonly string[];
  readonly gold?: readonly string[];
  /** Results of further taggers, for a bundle. */
  readonly results?: Results;
  /** The column of `tags`, which later taggers read, and the sentence before it was tagged. */
  readonly into?: { readonly column: string; readonly sentence: Sentence };
  /** Score of the tag sequence: sum of its emission and transition scores. */
  readonly score: number;
  /** Probability of each chosen tag at its token; only if requested. */
  readonly marginals?: readonly number[];
  /** The probabilities of all tags; only if requested. */
  readonly labelMarginals?: LabelMarginals;
  /** The probabilities of pairs of neighbouring tags; only if requested. */
  readonly pairMarginals?: PairMarginals;
  /** p(tags | x) of the whole sequence; only if requested. */
  readonly probability?: number;
  /** The best sequences, the best first; only if requested. */
  readonly nbest?: readonly Alternative[];
  /** Spans of the tags with their probabilities, in tokens of the sentence; only if requested. */
  readonly spans?: readonly Span[];
}

/** The probabilities of all labels at each of some tokens. */
export interface LabelMarginals {
  /** The tags that a model reports, each once, in the model's order. */
  readonly labels: readonly string[];
  /** `[tokens x labels]`: p(y_t = label | x); those of a token sum to 1. */
  readonly values: Float64Array;
}

/**
 * The probabilities of pairs of neighbouring labels of a sentence that are above a threshold: p(y_{t-1} = from, y_t = to | x).
 * Pair i consists of `labels[from[i]]` and `labels[to[i]]`, with probability `values[i]`; the pairs of token t and its
 * predecessor are `[starts[t], starts[t + 1])`, ordered by `from`. The first token has none.
 */
export interface PairMarginals {
  /** The tags that a model reports, each once, in the model's order. */
  readonly labels: readonly string[];
  /** `[tokens + 1]` */
  readonly starts: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly values: Float64Array;
}

/** One of the best tag sequences of a sentence. */
export interface Alternative {
  readonly tags: readonly string[];
  /** Sum of emission and transition scores. */
  readonly score: number;
  /** p(y | x) of the whole sequence, among the sequences that the decoder allows. */
  readonly probability: number;
}

/** A labelled range of tokens `[start, end)`. */
export interface Span {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Probability that the tags mark exactly this range with this label; only if requested. */
  readonly probability?: number;
}

/**
 * Information about a sentence's tokens from its context, by name: one text per token. Templates read them by
 * `%document[0,0,NAME]`.
 */
export type ContextColumns = Readonly<Record<string, readonly string[]>>;

/**
 * A larger weight would only make the first such sentence overflow everything learned from others.
 */
const most = 1e6;

/**
 * Checks the training weight of a sentence.
 *
 * @throws TagstreamError `wrong-shape` if the weight is present but not a number from 0 to a million
 */
export function requireWeight(weight: number | undefined): void {
  if (weight === undefined || (weight >= 0 && weight <= most)) return;
  const found = Number.isNaN(weight) ? 'not a number' : String(weight);
  throw new TagstreamError('wrong-shape', `the weight of a labelled record is ${found}`, {
    fix: `give a number from 0 to ${most}, or leave weight out to count once`,
  });
}
