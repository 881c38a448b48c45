import type { DividedWords, Tokenizer } from './tokenizer.js';

/** A tokenizer that is part of a model file. */
export interface BundledTokenizer {
  /** The same as a function, as all tokenizers are. */
  readonly tokenizer: Tokenizer;
  /** Words and sentences of a text; a text of white space has none. */
  divide(text: string): DividedWords;
  /** What the file has of it. */
  readonly stored: StoredTokenizer;
}

/** A learned tokenizer as a model file has it. */
export interface StoredTokenizer {
  /** The model file of its characters. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Contexts of characters that are certain; see `Doubt`. */
  readonly certain: Uint32Array<ArrayBuffer>;
  /** Language of the text. */
  readonly locale: string;
}
