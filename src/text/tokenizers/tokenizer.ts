import type { Range } from '../../core/sentence/document.js';

/**
 * Finds the tokens of a text as half-open ranges of UTF-16 units, in order and without overlap. The text
 * between two tokens is white space, or is omitted on purpose. Never changes the text.
 *
 * @param most tokens that are of use: it may stop where there are more
 */
export interface Tokenizer {
  (text: string, most?: number): Range[];
  /** Present if tokens depend only on single words, so that each word is tokenized only once. */
  readonly words?: WordRules;
  /** All that it finds in a text, of a tokenizer that finds more than tokens. */
  readonly divide?: (text: string) => DividedWords;
}

/** A text that is divided into words, and sentences of words. */
export interface DividedWords {
  /** UTF-16 units of each word; words of a multiword token that has another form share its own. */
  readonly offsets: readonly Range[];
  /** Words of each sentence. */
  readonly sentences: readonly Range[];
  /** Words of each multiword token. */
  readonly multiword: readonly Range[];
  /** Words that are not a substring of the text, by their number. */
  readonly forms: ReadonlyMap<number, string>;
}

/**
 * Says that a text between ASCII white space always has the same tokens, and that no token has such
 * white space in it nor is anything but white space omitted.
 */
export interface WordRules {
  /** Only if it is of ASCII. */
  readonly ascii?: boolean;
  /** Unless it ends in a full stop, which may depend on whether the text ends there, or on the word after it. */
  readonly looksAhead?: boolean;
}
