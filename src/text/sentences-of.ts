import type { Range } from '../core/sentence/document.js';
import { splitSentences } from './sentences/sentence-splitter.js';
import type { Tokenizer } from './tokenizers/tokenizer.js';

/**
 * The sentences of the tokens that a tokenizer has found in a text: its own, or those of `splitSentences`.
 *
 * @throws TagstreamError `config` if the locale is not a valid language tag
 */
export function sentencesOf(
  tokenizer: Tokenizer,
  text: string,
  tokens: readonly Range[],
  locale?: string,
): readonly Range[] {
  if (tokenizer.divide !== undefined) return tokenizer.divide(text).sentences;
  return splitSentences(text, tokens, locale === undefined ? {} : { locale });
}
