import { characterTokenizer } from './character-tokenizer.js';
import { regexTokenizer } from './regex-tokenizer.js';
import type { Tokenizer } from './tokenizer.js';
import { treebankTokenizer } from './treebank-tokenizer.js';
import { unicodeTokenizer } from './unicode-tokenizer.js';
import { whitespaceTokenizer } from './whitespace-tokenizer.js';

/** Names of the tokenizers. */
export const tokenizerNames = ['regex', 'treebank', 'unicode', 'whitespace', 'characters'] as const;

/** A tokenizer as pipeline and model files name it. */
export interface TokenizerChoice {
  readonly tokenizer: (typeof tokenizerNames)[number];
  /** For `regex`: the pattern of a token, instead of the built-in one. */
  readonly pattern?: string | undefined;
  /** Language of the text. */
  readonly locale: string;
}

/** The tokenizer that a file names. */
export function namedTokenizer({ tokenizer, pattern, locale }: TokenizerChoice): Tokenizer {
  switch (tokenizer) {
    case 'regex':
      return regexTokenizer({ pattern });
    case 'treebank':
      return treebankTokenizer();
    case 'unicode':
      return unicodeTokenizer({ locale });
    case 'whitespace':
      return whitespaceTokenizer();
    case 'characters':
      return characterTokenizer();
  }
}
