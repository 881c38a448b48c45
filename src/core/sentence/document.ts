import type { Delivery } from '../delivery/delivery.js';
import type { Constraints } from './constraints.js';
import type { Origin } from './origin.js';
import type { PartialTag } from './partial-tag.js';
import type { Misaligned, Overlaps, TextSpan } from './text-span.js';

/** A half-open range `[start, end)`. */
export type Range = readonly [start: number, end: number];

/** A named column of a sentence: one value for each token. Numbers feed real-valued features. */
export type Column = readonly string[] | readonly number[];

/**
 * One record as a codec reads it: raw text, or tokens with optional columns and gold tags.
 *
 * A document has `text`, or `tokens`, or both. Documents are never changed; `raw` is the record's own
 * text, which the writer of the same format splices our fields into.
 */
export interface Document {
  readonly id?: string;
  readonly text?: string;
  readonly tokens?: readonly string[];
  /** Start and end of each token in UTF-16 units of `text`. */
  readonly offsets?: readonly Range[];
  /** Token ranges of the sentences, where there are several. */
  readonly sentences?: readonly Range[];
  readonly columns?: Readonly<Record<string, Column>>;
  /** Gold tags. */
  readonly tags?: readonly string[];
  /** What is known of the gold tags where it is less than all of them; then there are no `tags`. */
  readonly partialTags?: readonly PartialTag[];
  /** Gold spans of the text, which become gold tags when its tokens are known; an empty list: there are none. */
  readonly spans?: readonly TextSpan[];
  /** What becomes of `spans` that do not end with tokens; `reject` if absent. */
  readonly misaligned?: Misaligned;
  /** What becomes of `spans` that overlap, or share a token; `reject` if absent. */
  readonly overlaps?: Overlaps;
  /** How often the record counts in training; 1 if absent. */
  readonly weight?: number;
  /** What is asked of the labels that it is given. */
  readonly constraints?: Constraints;
  /**
   * Links between its tokens, as the record has them: `[[0, 7, "same-word"], ...]`. Models of graphs look at them, and
   * nobody else.
   */
  readonly links?: unknown;
  /** The record of an annotation tool that it was made of, where it is kept to go back there. */
  readonly origin?: Origin;
  /** Names the document that the record is part of: records of one name that follow each other are of one. */
  readonly documentId?: string;
  /** Its document begins with this record. */
  readonly startsDocument?: boolean;
  /** The record as it was read. */
  readonly raw?: string;
  /** What `raw` is written in, as the codec that read it names its format. */
  readonly format?: string;
  /** Most tokens that each of its sentences may have, where its source says so; 100,000 if absent. */
  readonly maxTokens?: number;
  readonly delivery?: Delivery;
}
