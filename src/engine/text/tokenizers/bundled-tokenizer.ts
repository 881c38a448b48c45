import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { DividedWords, Tokenizer } from './tokenizer.js';

/** A tokenizer that is part of a model file. */
export interface BundledTokenizer {
  /** The tokenizer as a function. */
  readonly tokenizer: Tokenizer;
  /** Returns the words and sentences of a text; a text of only white space has none. */
  divide(text: string): DividedWords;
  /**
   * Returns the sentences of the characters that the model labels, as the operator `characters`
   * does.
   */
  characters(document: Document): readonly Sentence[];
  /** Form of the tokenizer in a model file. */
  readonly stored: StoredTokenizer;
}

/** A learned tokenizer as stored in a model file. */
export interface StoredTokenizer {
  /** Model file of the character tagger. If `loadTagger` read the model, it is read at each access. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * Contexts of characters with certain labels; see `Doubt`. Empty for a tagger of all characters.
   */
  readonly certain: Uint32Array<ArrayBuffer>;
  /** Language of the text. */
  readonly locale: string;
  /**
   * Expander that replaces tokens with words of other forms, if the training data has such words.
   */
  readonly expander?: StoredExpander | undefined;
}

/** Part of a model file that expands multiword tokens into words. */
export interface StoredExpander {
  /** Model file that chooses an expansion; absent if no token has more than one. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * Expansions of each lower-case token, the most frequent first: words separated by spaces, or `=`
   * for the token itself.
   */
  readonly words: Readonly<Record<string, readonly string[]>>;
}
