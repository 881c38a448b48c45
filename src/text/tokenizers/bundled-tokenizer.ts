import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { DividedWords, Tokenizer } from './tokenizer.js';

/** A tokenizer that is part of a model file. */
export interface BundledTokenizer {
  /** The tokenizer as a function. */
  readonly tokenizer: Tokenizer;
  /** Words and sentences of a text; a text of white space has none. */
  divide(text: string): DividedWords;
  /** Returns a text as sentences of the characters that its model labels, as the operator `characters` does. */
  characters(document: Document): readonly Sentence[];
  /** Its form in a model file. */
  readonly stored: StoredTokenizer;
}

/** A learned tokenizer as stored in a model file. */
export interface StoredTokenizer {
  /** The model file of the character tagger. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Contexts of characters that are certain; see `Doubt`. None for a tagger of characters. */
  readonly certain: Uint32Array<ArrayBuffer>;
  /** Language of the text. */
  readonly locale: string;
  /** Replaces tokens by words with other forms, if the training data has such words. */
  readonly expander?: StoredExpander | undefined;
}

/** The part of a model file that expands multiword tokens into words. */
export interface StoredExpander {
  /** The model file that chooses; absent if no token has several expansions. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * The expansions of each lower-case token, the most frequent first: words separated by spaces, or `=` for the token itself.
   */
  readonly words: Readonly<Record<string, readonly string[]>>;
}
