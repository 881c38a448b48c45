import type { Range } from '../../core/sentence/document.js';

/**
 * Finds the tokens of a text as half-open ranges of UTF-16 units, in order and without overlap. The text
 * between two tokens is white space, or is omitted on purpose. Never changes the text.
 *
 * @param most the number of tokens needed: it may stop after more than that
 */
export interface Tokenizer {
  (text: string, most?: number): Range[];
  /** Present if tokens depend only on single words, so that each word is tokenized only once. */
  readonly words?: WordRules;
  /** Everything found in a text, for a tokenizer that finds more than tokens. */
  readonly divide?: (text: string) => DividedWords;
}

/** A text split into words, and sentences of words. */
export interface DividedWords {
  /** UTF-16 units of each word; words of a multiword token with different forms share its range. */
  readonly offsets: readonly Range[];
  /** Words of each sentence. */
  readonly sentences: readonly Range[];
  /** Words of each multiword token. */
  readonly multiword: readonly Range[];
  /** Forms of words that are not substrings of the text, by word number. */
  readonly forms: ReadonlyMap<number, string>;
}

/**
 * States that a text between ASCII white space always has the same tokens, that no token contains
 * such white space, and that only white space is omitted.
 */
export interface WordRules {
  /** Only for ASCII text. */
  readonly ascii?: boolean;
  /** Except for a final full stop, which may depend on whether the text ends there, or on the next word. */
  readonly looksAhead?: boolean;
}
