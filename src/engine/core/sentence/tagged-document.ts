import type { Document, Range } from './document.js';
import type { Alternative, LabelMarginals, PairMarginals, Results, Span } from './sentence.js';

/** A document with the tagger's results: the input of a codec's writer. */
export interface TaggedDocument {
  readonly document: Document;
  readonly tokens: readonly string[];
  /** Token ranges in UTF-16 units; present if the document has a text. */
  readonly offsets?: readonly Range[];
  /**
   * Token ranges of the sentences: present if the tagger divided a text, or if the document gave them. Without them,
   * its tokens are one sentence. A document without tokens has no sentences.
   */
  readonly sentences?: readonly Range[];
  /** Ranges of tokens that are the words of a multiword token of the text, if there are any. */
  readonly multiword?: readonly Range[];
  /** Predicted tags, one per token; empty if the document is untagged. */
  readonly tags: readonly string[];
  /**
   * True if a sentence of the document came before the model knew a label, at the start of a stream; else absent.
   * Formats write null, or the cell for an unknown tag, at all tokens.
   */
  readonly untagged?: true;
  /** Results of further taggers, for a bundle. */
  readonly results?: Results;
  /** Gold tags of the input document. */
  readonly gold?: readonly string[];
  /** Labelled spans in tokens of the document; present if the model's tags follow a span scheme. */
  readonly spans?: readonly Span[];
  /** Scores, one per sentence; only if requested. */
  readonly scores?: readonly number[];
  /** Probability of each chosen tag; only if requested. */
  readonly marginals?: readonly number[];
  /** Probabilities of all tags; only if requested. */
  readonly labelMarginals?: LabelMarginals;
  /** Probabilities of pairs of neighbouring tags, per sentence; only if requested. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** p(tags | x) of each sentence's sequence; only if requested. */
  readonly probabilities?: readonly number[];
  /** Their logarithms, which do not underflow; present with the probabilities. */
  readonly logProbabilities?: readonly number[];
  /** Best sequences of each sentence; only if requested. */
  readonly nbest?: readonly (readonly Alternative[])[];
  /** Id of the model that tagged the document; only if requested. */
  readonly modelId?: string;
}
