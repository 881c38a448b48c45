import type { Document, Range } from './document.js';
import type { Alternative, LabelMarginals, PairMarginals, Results, Span } from './sentence.js';

/** A document with the results of the tagger; the input of a codec's writer. */
export interface TaggedDocument {
  readonly document: Document;
  readonly tokens: readonly string[];
  /** Present when the document has text: token ranges in UTF-16 units. */
  readonly offsets?: readonly Range[];
  /** Token ranges of the sentences, when there are several. */
  readonly sentences?: readonly Range[];
  /** Tokens that are the words of a multiword token of the text, where there are some. */
  readonly multiword?: readonly Range[];
  /** Predicted tags, one for each token. */
  readonly tags: readonly string[];
  /** Results of further taggers, for a bundle. */
  readonly results?: Results;
  /** Gold tags the document came with. */
  readonly gold?: readonly string[];
  /** Labelled spans in tokens of the document; present when the model's tags are a span scheme. */
  readonly spans?: readonly Span[];
  /** One score for each sentence; only if requested. */
  readonly scores?: readonly number[];
  /** Probability of each chosen tag; only if requested. */
  readonly marginals?: readonly number[];
  /** The probabilities of all tags; only if requested. */
  readonly labelMarginals?: LabelMarginals;
  /** The probabilities of pairs of neighbouring tags, for each sentence; only if requested. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** p(tags | x) of each sentence's sequence; only if requested. */
  readonly probabilities?: readonly number[];
  /** The best sequences of each sentence; only if requested. */
  readonly nbest?: readonly (readonly Alternative[])[];
  /** The id of the model that tagged it; only if requested. */
  readonly modelId?: string;
}
