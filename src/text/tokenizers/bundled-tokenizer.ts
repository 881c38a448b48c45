import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { DividedWords, Tokenizer } from './tokenizer.js';

/** A tokenizer that is part of a model file. */
export interface BundledTokenizer {
  /** The tokenizer as a function. */
  readonly tokenizer: Tokenizer;
  /** Words and sentences of a text; a text of white space has none. */
  divide(text: string): DividedWords;
  /** A text as sentences of the characters that its model labels: what the operator `characters` makes of a document. */
  characters(document: Document): readonly Sentence[];
  /** What the file has of it. */
  readonly stored: StoredTokenizer;
}

/** A learned tokenizer as a model file has it. */
export interface StoredTokenizer {
  /** The model file of its characters. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Contexts of characters that are certain; see `Doubt`. None for a tagger of characters. */
  readonly certain: Uint32Array<ArrayBuffer>;
  /** Language of the text. */
  readonly locale: string;
  /** What replaces tokens by words of other forms, where the training data has such. */
  readonly expander?: StoredExpander | undefined;
}

/** The part of a model file that expands multiword tokens into words. */
export interface StoredExpander {
  /** The model file that chooses; absent where no token has a choice. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /**
   * What each token in lower case stood for, the most frequent first: words with a space between, or `=` for the token itself.
   */
  readonly words: Readonly<Record<string, readonly string[]>>;
}
