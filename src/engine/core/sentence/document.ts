import type { Delivery, Position } from '../delivery/delivery.js';
import { TagstreamError } from '../errors.js';
import { blankTagIn, isBlankLabel, type PartialTag } from './partial-tag.js';

/** A half-open range `[start, end)`. */
export type Range = readonly [start: number, end: number];

/** A named column of a sentence, with one value per token. Numbers feed real-valued features. */
export type Column = readonly string[] | readonly number[];

/**
 * A record as read by a codec: raw text, or tokens with optional columns and gold tags.
 *
 * A document has `text`, or `tokens`, or both. Documents are never changed. `raw` is the record's
 * original text, into which a writer of the same format splices the results.
 */
export interface Document {
  readonly id?: string;
  readonly text?: string;
  readonly tokens?: readonly string[];
  /** Start and end of each token in UTF-16 units of `text`. */
  readonly offsets?: readonly Range[];
  /** Token ranges of the sentences, if there is more than one. */
  readonly sentences?: readonly Range[];
  /**
   * Ranges of tokens that are the words of a multiword token of the text, such as `does` and `n't`
   * of `doesn't`; in order.
   */
  readonly multiword?: readonly Range[];
  /** CoNLL-U columns of each multiword token by name, such as `misc`; undefined if it has only the text. */
  readonly multiwordColumns?: readonly (Readonly<Record<string, string>> | undefined)[];
  readonly columns?: Readonly<Record<string, Column>>;
  /** Gold tags. */
  readonly tags?: readonly string[];
  /** Known parts of the gold tags if some are unknown or ambiguous; `tags` is then absent. */
  readonly partialTags?: readonly PartialTag[];
  /** Gold tags by token number, for labels that arrive after their record. */
  readonly tagsAt?: Readonly<Record<string, PartialTag>>;
  /** Facts about labels that arrived after the record had been tagged and written. */
  readonly late?: LateLabels;
  /**
   * Gold spans of the text, which become gold tags during tokenization; an empty list means that
   * there are no spans.
   */
  readonly spans?: readonly TextSpan[];
  /** Treatment of `spans` that do not fit the tokens; default: `reject`. */
  readonly misaligned?: Misaligned;
  /** Treatment of `spans` that overlap or share a token; default: `reject`. */
  readonly overlaps?: Overlaps;
  /** Weight of the record in training; default: 1. */
  readonly weight?: number;
  /** Constraints on the record's labels. */
  readonly constraints?: Constraints;
  /**
   * Links between tokens, as in the record: `[[0, 7, "same-word"], ...]`, each of two or more
   * tokens. Only graph models use them.
   */
  readonly links?: unknown;
  /** Annotation tool's record from which the document was made, if kept for export. */
  readonly origin?: Origin;
  /**
   * Name of the document to which the record belongs: consecutive records with the same name form
   * one document.
   */
  readonly documentId?: string;
  /** Whether the record starts a document. */
  readonly startsDocument?: boolean;
  /** Original text of the record. */
  readonly raw?: string;
  /** Format of `raw`, as named by the codec that read it. */
  readonly format?: string;
  /** Maximum tokens per sentence, if the record's source sets a limit; 100,000 if absent. */
  readonly maxTokens?: number;
  readonly delivery?: Delivery;
}

/** Facts about a record whose labels arrived later. */
export interface LateLabels {
  /**
   * Tags predicted on arrival; absent if the labels came before the record had passed, and empty if it passed untagged,
   * because the model knew no label.
   */
  readonly tags?: readonly string[];
  /** Position of the label, if a checkpoint contained it. */
  readonly position?: Position;
}

/** A labelled range of a text: the UTF-16 units `[start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/**
 * Treatment of gold spans that begin or end inside a token: `reject` rejects the record; `widen`
 * extends the spans to whole tokens; `unknown` leaves the tags of all tokens that they touch
 * unknown.
 */
export type Misaligned = 'reject' | 'widen' | 'unknown';

/**
 * Treatment of gold spans that overlap: `reject` rejects the record; `longest` keeps the longest
 * span; `first` keeps the span that begins first, and the longest on ties.
 */
export type Overlaps = 'reject' | 'longest' | 'first';

/**
 * An annotation tool's record, kept for export back to the tool with its ids, notes and everything
 * except labels. It is kept as JSON text, so that no number and no escape changes.
 */
export interface Origin {
  /**
   * JSON object `{"format", "text", "record"}`: the tool, the path of the text, and the record with
   * null instead of the text.
   */
  readonly json: string;
  /** The JSON text of the record's id. */
  readonly id?: string;
  /** The JSON text of the record's text. */
  readonly text?: string;
}

/** A constraint on a token's label: one of some labels, or none of them. */
export type TokenConstraint = readonly string[] | { readonly not: readonly string[] };

/**
 * Constraints on the labels of a record or sentence, by token number from 0. Other tokens are unconstrained.
 */
export type Constraints = Readonly<Record<string, TokenConstraint>>;

/**
 * Returns the token number that a constraint key represents, in a record or sentence of `length`
 * tokens.
 *
 * @throws TagstreamError `constraint` if the key is not the number of a token
 * @example
 * constrainedToken('2', 3) // => 2
 */
export function constrainedToken(key: string, length: number): number {
  const token = Number(key);
  // Other spellings of a number are rejected, as two keys would then mean the same token.
  if (Number.isInteger(token) && token >= 0 && token < length && String(token) === key) {
    return token;
  }
  throw new TagstreamError(
    'constraint',
    `a constraint names token ${key}, but there are ${length} tokens`,
    {
      fix: 'tokens are numbered from 0',
    },
  );
}

/**
 * Requires that an item not read by a codec is a document: an object whose text, if present, is a
 * string, whose tokens, if present, are an array of strings, and whose labels are not blank.
 *
 * @throws TagstreamError `wrong-shape`
 * @example
 * requireDocument({ text: 'It rains.' }) // => undefined
 */
export function requireDocument(item: unknown): asserts item is Document {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw wrong('the document', item, 'pass { text: "..." } or { tokens: [...] }');
  }
  const { text, tokens } = item as { readonly text?: unknown; readonly tokens?: unknown };
  if (text !== undefined && text !== null && typeof text !== 'string') {
    throw wrong('text', text, 'give a string');
  }
  requireLabels(item as Document);
  if (tokens === undefined) return;
  if (!Array.isArray(tokens)) throw wrong('tokens', tokens, 'give an array of strings');
  const odd = tokens.findIndex(token => typeof token !== 'string');
  if (odd >= 0) throw wrong(`tokens[${odd}]`, tokens[odd], 'give an array of strings');
}

/** Requires that no gold tag or span has a blank label. */
function requireLabels({ tags, partialTags, spans }: Document): void {
  const all = tags ?? partialTags;
  const blank = Array.isArray(all) ? blankTagIn(all) : -1;
  if (blank >= 0) throw wrong(`tags[${blank}]`, all![blank], 'give a tag; null if it is unknown');
  const span = Array.isArray(spans) ? spans.findIndex(({ label }) => isBlankLabel(label)) : -1;
  if (span >= 0) throw wrong(`the label of spans[${span}]`, spans![span]!.label, 'give a label');
}

function wrong(field: string, value: unknown, fix: string): TagstreamError {
  return new TagstreamError('wrong-shape', `${field} is ${shown(value)}`, { fix });
}

/**
 * Returns a value as shown in messages; nested values are only named, as they can be of any size.
 */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
