import type { Delivery } from './delivery.js';
import type { Column, Document, Range } from './document.js';

/** One sentence: the unit that is featurized, trained on and decoded. */
export interface Sentence {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Gold tags, one for each token. */
  readonly tags?: readonly string[];
  /** Start and end of each token in UTF-16 units of the document's text. */
  readonly offsets?: readonly Range[];
  readonly document: Document;
  /** Which of the document's sentences this is: `index` of `count`, its first token at `start`. */
  readonly part: { readonly index: number; readonly count: number; readonly start: number };
  readonly delivery?: Delivery;
}

/** A sentence as it leaves the tagger: `tags` are predicted, `gold` are those it came with. */
export interface TaggedSentence extends Omit<Sentence, 'tags'> {
  readonly tags: readonly string[];
  readonly gold?: readonly string[];
  /** Score of the tag sequence: sum of its emission and transition scores. */
  readonly score: number;
  /** Probability of each chosen tag at its token; only where asked for. */
  readonly marginals?: readonly number[];
}
