import type { Range } from '../core/sentence/document.js';
import { type SentenceOptions, splitSentences } from './sentences/sentence-splitter.js';
import type { DividedWords, Tokenizer } from './tokenizers/tokenizer.js';

/** Result of a tokenizer: tokens, and any further parts that it finds. */
export type FoundWords = Pick<DividedWords, 'offsets'> & Partial<DividedWords>;

/**
 * Returns the tokens of a text and everything else that the tokenizer finds, in one pass over the text.
 *
 * @param most number of tokens needed; the tokenizer may stop when it has more
 */
export function wordsOf(tokenizer: Tokenizer, text: string, most?: number): FoundWords {
  return tokenizer.divide?.(text) ?? { offsets: tokenizer(text, most) };
}

/**
 * Returns the sentences of a text: those that its tokenizer found, otherwise those of
 * `splitSentences`.
 *
 * @throws TagstreamError `config` if the locale is not a valid language tag, or an abbreviation is invalid
 */
export function sentencesOf(
  { sentences, offsets }: FoundWords,
  text: string,
  { locale, abbreviations }: SentenceOptions = {},
): readonly Range[] {
  return sentences ?? splitSentences(text, offsets, { locale, abbreviations });
}
