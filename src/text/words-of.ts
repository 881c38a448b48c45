import type { Range } from '../core/sentence/document.js';
import { type SentenceOptions, splitSentences } from './sentences/sentence-splitter.js';
import type { DividedWords, Tokenizer } from './tokenizers/tokenizer.js';

/** What a tokenizer finds in a text: tokens, and more where it finds more. */
export type FoundWords = Pick<DividedWords, 'offsets'> & Partial<DividedWords>;

/**
 * Returns the tokens of a text and everything else that the tokenizer finds, in one pass over the text.
 *
 * @param most tokens that are of use: it may stop where there are more
 */
export function wordsOf(tokenizer: Tokenizer, text: string, most?: number): FoundWords {
  return tokenizer.divide?.(text) ?? { offsets: tokenizer(text, most) };
}

/**
 * The sentences of a text: those that its tokenizer found, or those of `splitSentences`.
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
