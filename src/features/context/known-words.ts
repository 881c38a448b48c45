import type { Lexicon } from './lexicon.js';

/** What is known of words, once it is. */
export interface KnownWords {
  lexicon: Lexicon | undefined;
}
