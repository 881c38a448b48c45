import type { Range } from '../../core/sentence/document.js';

/**
 * Finds the tokens of a text as half-open ranges of UTF-16 units, in order and without overlap. The
 * text between two tokens is white space, or is omitted on purpose. Does not change the text.
 *
 * @param most number of tokens needed; the tokenizer may stop when it has more
 */
export interface Tokenizer {
  (text: string, most?: number): Range[];
  /**
   * Rules for words; present if tokens depend only on single words, so that each word is tokenized
   * only once.
   */
  readonly words?: WordRules;
  /** Returns everything found in a text, for a tokenizer that finds more than tokens. */
  readonly divide?: (text: string) => DividedWords;
}

/** A text split into words, and sentences of words. */
export interface DividedWords {
  /** UTF-16 units of each word; words of a multiword token with other forms share its range. */
  readonly offsets: readonly Range[];
  /** Word range of each sentence. */
  readonly sentences: readonly Range[];
  /** Word range of each multiword token. */
  readonly multiword: readonly Range[];
  /** Forms of words that are not substrings of the text, by word number. */
  readonly forms: ReadonlyMap<number, string>;
}

/**
 * Guarantees that a text between ASCII white space always has the same tokens, that no token
 * contains such white space, and that only white space is omitted.
 */
export interface WordRules {
  /** Whether this applies only to ASCII text. */
  readonly ascii?: boolean;
  /**
   * Whether a final full stop is excepted, as it may depend on the end of the text or on the next
   * word.
   */
  readonly looksAhead?: boolean;
}
