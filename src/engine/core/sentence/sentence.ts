import type { Delivery } from '../delivery/delivery.js';
import { TagstreamError } from '../errors.js';
import type { Column, Constraints, Document, Range } from './document.js';
import type { PartialTag } from './partial-tag.js';

/** A sentence: the unit that is featurized, trained on and decoded. */
export interface Sentence {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Gold tags, one per token. */
  readonly tags?: readonly string[];
  /** Known parts of the gold tags if some are unknown or ambiguous; `tags` is then absent. */
  readonly partialTags?: readonly PartialTag[];
  /** Weight of the sentence in training; default: 1. */
  readonly weight?: number;
  /** Constraints on the sentence's labels, by token of the sentence. */
  readonly constraints?: Constraints;
  /** Start and end of each token in UTF-16 units of the document's text. */
  readonly offsets?: readonly Range[];
  /** Ranges of tokens that are the words of a multiword token of the text, if there are any. */
  readonly multiword?: readonly Range[];
  readonly document: Document;
  /** Context from previous sentences of the document, for models that use it. */
  readonly context?: ContextColumns;
  /** Position in the document: sentence `index` of `count`, with its first token at `start`. */
  readonly part: { readonly index: number; readonly count: number; readonly start: number };
  readonly delivery?: Delivery;
  /** Result of the previous tagger, whose tags are one of the columns. */
  readonly tagged?: TaggedSentence;
}

/** Results of taggers by column name, with one value per token. */
export type Results = Readonly<Record<string, readonly string[]>>;

/** A tagged sentence: `tags` are the predicted tags, `gold` the gold tags. */
export interface TaggedSentence extends Omit<Sentence, 'tags' | 'tagged'> {
  /** One tag per token; empty if the sentence is untagged. */
  readonly tags: readonly string[];
  /** True if the sentence came before the model knew a label, so that nothing was predicted; else absent. */
  readonly untagged?: true;
  readonly gold?: readonly string[];
  /** Results of further taggers, for a bundle. */
  readonly results?: Results;
  /** Column of `tags`, which later taggers read, and the sentence before it was tagged. */
  readonly into?: { readonly column: string; readonly sentence: Sentence };
  /** Score of the tag sequence: sum of its emission and transition scores. */
  readonly score: number;
  /** Probability of each chosen tag at its token; only if requested. */
  readonly marginals?: readonly number[];
  /** Probabilities of all tags; only if requested. */
  readonly labelMarginals?: LabelMarginals;
  /** Probabilities of pairs of neighbouring tags; only if requested. */
  readonly pairMarginals?: PairMarginals;
  /** p(tags | x) of the whole sequence; only if requested. */
  readonly probability?: number;
  /** log p(tags | x), which does not underflow; present with the probability. */
  readonly logProbability?: number;
  /** Best sequences, the best first; only if requested. */
  readonly nbest?: readonly Alternative[];
  /**
   * Spans marked by the tags, with their probabilities, in tokens of the sentence; only if
   * requested.
   */
  readonly spans?: readonly Span[];
}

/** Probabilities of all labels at each of some tokens. */
export interface LabelMarginals {
  /** Tags that a model reports, each once, in the model's order. */
  readonly labels: readonly string[];
  /** `[tokens x labels]`: p(y_t = label | x); the values of a token sum to 1. */
  readonly values: Float64Array;
}

/**
 * Pairs of neighbouring labels of a sentence whose probability p(y_{t-1} = from, y_t = to | x) is
 * above a threshold. Pair i consists of `labels[from[i]]` and `labels[to[i]]`, with probability
 * `values[i]`; the pairs of token t and its predecessor are `[starts[t], starts[t + 1])`, ordered
 * by `from`. The first token has none.
 */
export interface PairMarginals {
  /** Tags that a model reports, each once, in the model's order. */
  readonly labels: readonly string[];
  /** Pair offsets by token: `[tokens + 1]`. */
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
  /** log p(y | x), which does not underflow. */
  readonly logProbability: number;
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
 * Information about a sentence's tokens from its context, by name, with one text per token.
 * Templates read them by `%document[0,0,NAME]`.
 */
export type ContextColumns = Readonly<Record<string, readonly string[]>>;

/**
 * Maximum weight: the first sentence with a larger one would make everything learned from others
 * overflow.
 */
const most = 1e6;

/**
 * Requires a valid training weight.
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
