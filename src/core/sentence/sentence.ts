import type { Delivery } from '../delivery/delivery.js';
import type { Alternative } from './alternative.js';
import type { Constraints } from './constraints.js';
import type { ContextColumns } from './context-columns.js';
import type { Column, Document, Range } from './document.js';
import type { LabelMarginals } from './label-marginals.js';
import type { PartialTag } from './partial-tag.js';
import type { Span } from './span.js';

/** One sentence: the unit that is featurized, trained on and decoded. */
export interface Sentence {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Gold tags, one for each token. */
  readonly tags?: readonly string[];
  /** What is known of the gold tags where it is less than all of them; then there are no `tags`. */
  readonly partialTags?: readonly PartialTag[];
  /** How often the sentence counts in training; 1 if absent. */
  readonly weight?: number;
  /** What is asked of the labels that it is given, by token of the sentence. */
  readonly constraints?: Constraints;
  /** Start and end of each token in UTF-16 units of the document's text. */
  readonly offsets?: readonly Range[];
  readonly document: Document;
  /** What was before in its document, where a model looks at that. */
  readonly context?: ContextColumns;
  /** Which of the document's sentences this is: `index` of `count`, its first token at `start`. */
  readonly part: { readonly index: number; readonly count: number; readonly start: number };
  readonly delivery?: Delivery;
}

/** A tagged sentence: `tags` are the predicted tags, `gold` its gold tags. */
export interface TaggedSentence extends Omit<Sentence, 'tags'> {
  readonly tags: readonly string[];
  readonly gold?: readonly string[];
  /** Score of the tag sequence: sum of its emission and transition scores. */
  readonly score: number;
  /** Probability of each chosen tag at its token; only where asked for. */
  readonly marginals?: readonly number[];
  /** Those of all tags; only where asked for. */
  readonly labelMarginals?: LabelMarginals;
  /** p(tags | x) of the whole sequence; only where asked for. */
  readonly probability?: number;
  /** The best sequences, the best first; only where asked for. */
  readonly nbest?: readonly Alternative[];
  /** Spans of the tags with their probabilities, in tokens of the sentence; only where asked for. */
  readonly spans?: readonly Span[];
}
