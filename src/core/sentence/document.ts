import type { Delivery, Position } from '../delivery/delivery.js';
import { TagstreamError } from '../errors.js';
import type { PartialTag } from './partial-tag.js';

/** A half-open range `[start, end)`. */
export type Range = readonly [start: number, end: number];

/** A named column of a sentence: one value for each token. Numbers feed real-valued features. */
export type Column = readonly string[] | readonly number[];

/**
 * One record as a codec reads it: raw text, or tokens with optional columns and gold tags.
 *
 * A document has `text`, or `tokens`, or both. Documents are never changed; `raw` is the record's
 * original text; a writer of the same format splices the results into it.
 */
export interface Document {
  readonly id?: string;
  readonly text?: string;
  readonly tokens?: readonly string[];
  /** Start and end of each token in UTF-16 units of `text`. */
  readonly offsets?: readonly Range[];
  /** Token ranges of the sentences, where there are several. */
  readonly sentences?: readonly Range[];
  /** Tokens that are the words of a multiword token of the text, as `does` and `n't` of `doesn't`; in order. */
  readonly multiword?: readonly Range[];
  /** The MISC column of CoNLL-U for each of them; undefined if it has only the text. */
  readonly multiwordMisc?: readonly (string | undefined)[];
  readonly columns?: Readonly<Record<string, Column>>;
  /** Gold tags. */
  readonly tags?: readonly string[];
  /** What is known of the gold tags if some are unknown or ambiguous; then `tags` is absent. */
  readonly partialTags?: readonly PartialTag[];
  /** Gold tags by token number, for a label that arrives after its record. */
  readonly tagsAt?: Readonly<Record<string, PartialTag>>;
  /** Set if the labels arrived after the record had been tagged and written. */
  readonly late?: LateLabels;
  /** Gold spans of the text, which become gold tags when it is tokenized; an empty list means that there are none. */
  readonly spans?: readonly TextSpan[];
  /** How to treat `spans` that do not fit the tokens; default: `reject`. */
  readonly misaligned?: Misaligned;
  /** How to treat `spans` that overlap or share a token; default: `reject`. */
  readonly overlaps?: Overlaps;
  /** The weight of the record in training; default: 1. */
  readonly weight?: number;
  /** Constraints on its labels. */
  readonly constraints?: Constraints;
  /**
   * Links between its tokens, as the record has them: `[[0, 7, "same-word"], ...]`, of two or more
   * tokens. Only graph models use them.
   */
  readonly links?: unknown;
  /** The annotation tool's record that it was made from, if kept for export. */
  readonly origin?: Origin;
  /**
   * Names the document that the record belongs to: consecutive records with the same name form one document.
   */
  readonly documentId?: string;
  /** This record starts a document. */
  readonly startsDocument?: boolean;
  /** The record as it was read. */
  readonly raw?: string;
  /** The format of `raw`, as the codec that read it names it. */
  readonly format?: string;
  /** Most tokens per sentence, if its source sets a limit; 100,000 if absent. */
  readonly maxTokens?: number;
  readonly delivery?: Delivery;
}

/** What is known of a record whose labels arrived later. */
export interface LateLabels {
  /** The tags predicted on arrival; absent if the labels came before it was tagged. */
  readonly tags?: readonly string[];
  /** Position of the label, if a checkpoint has held it. */
  readonly position?: Position;
}

/** A labelled piece of a text: the UTF-16 units `[start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/**
 * How to treat gold spans that begin or end inside a token: `reject` rejects the record; `widen` extends them
 * to whole tokens; `unknown` leaves the tags of the tokens that they touch unknown.
 */
export type Misaligned = 'reject' | 'widen' | 'unknown';

/**
 * How to treat gold spans that overlap: `reject` rejects the record; `longest` keeps the longest; `first` keeps the one that
 * begins first, the longest on ties.
 */
export type Overlaps = 'reject' | 'longest' | 'first';

/**
 * An annotation tool's record, kept for export back to it with its ids, notes and everything except labels. It is kept as
 * JSON text, so that no number and no escape changes.
 */
export interface Origin {
  /** `{"format", "text", "record"}`: the tool, the path of the text, and the record with null for the text. */
  readonly json: string;
  /** The JSON text of the record's id. */
  readonly id?: string;
  /** The JSON text of the record's text. */
  readonly text?: string;
}

/** A constraint on a token's label: one of these labels, or none of these. */
export type TokenConstraint = readonly string[] | { readonly not: readonly string[] };

/**
 * Constraints on the labels of a record or sentence, by token number from 0. Other tokens are unconstrained.
 */
export type Constraints = Readonly<Record<string, TokenConstraint>>;

/**
 * Returns the token that a key of constraints names, in a record or sentence of `length` tokens.
 *
 * @throws TagstreamError `constraint` if it names none
 * @example
 * constrainedToken('2', 3) // => 2
 */
export function constrainedToken(key: string, length: number): number {
  const token = Number(key);
  // Rejects other spellings of a number: two keys would mean one token.
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
 * Checks that an item not read by a codec is a document: an object whose text, if any, is a string, and whose tokens, if
 * any, are an array of strings.
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
  if (tokens === undefined) return;
  if (!Array.isArray(tokens)) throw wrong('tokens', tokens, 'give an array of strings');
  const odd = tokens.findIndex(token => typeof token !== 'string');
  if (odd >= 0) throw wrong(`tokens[${odd}]`, tokens[odd], 'give an array of strings');
}

function wrong(field: string, value: unknown, fix: string): TagstreamError {
  return new TagstreamError('wrong-shape', `${field} is ${shown(value)}`, { fix });
}

/** Nested values are only named, because they can be of any size. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
