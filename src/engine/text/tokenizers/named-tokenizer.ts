import { TagstreamError } from '../../core/errors.js';
import { characterTokenizer } from './character-tokenizer.js';
import { regexTokenizer } from './regex-tokenizer.js';
import type { Tokenizer } from './tokenizer.js';
import { treebankTokenizer } from './treebank-tokenizer.js';
import { unicodeTokenizer } from './unicode-tokenizer.js';
import { whitespaceTokenizer } from './whitespace-tokenizer.js';

/** Names of the built-in tokenizers. */
export const builtInTokenizers = [
  'regex',
  'treebank',
  'unicode',
  'whitespace',
  'characters',
] as const;

/** Names of the tokenizers; `learned` is that of a model file. */
export const tokenizerNames = [...builtInTokenizers, 'learned'] as const;

/** A tokenizer as named in pipeline and model files. */
export interface TokenizerChoice {
  readonly tokenizer: (typeof tokenizerNames)[number];
  /** For `regex`: pattern of a token, which replaces the built-in one. */
  readonly pattern?: string | undefined;
  /** Language of the text. */
  readonly locale: string;
}

/**
 * Returns the tokenizer named in a file.
 *
 * @param learned the tokenizer of the model file, if there is one
 * @throws TagstreamError `config` for `learned` if there is none
 */
export function namedTokenizer(
  { tokenizer, pattern, locale }: TokenizerChoice,
  learned?: Tokenizer,
): Tokenizer {
  switch (tokenizer) {
    case 'learned':
      if (learned !== undefined) return learned;
      throw new TagstreamError('config', 'there is no model with a learned tokenizer', {
        fix: 'tag with a model that was trained with tokenize: { tokenizer: learned }, or name a built-in tokenizer',
      });
    case 'regex':
      return regexTokenizer({ pattern, locale });
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
