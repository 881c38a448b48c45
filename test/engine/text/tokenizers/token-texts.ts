import type { Tokenizer } from '../../../../src/engine/text/tokenizers/tokenizer.js';

/** The tokens themselves. */
export function tokenTexts(tokenize: Tokenizer, text: string): string[] {
  return tokenize(text).map(([start, end]) => text.slice(start, end));
}
