import type { Range } from '../core/sentence/document.js';
import {
  recordSentences,
  recordTokens,
  requireAtMost,
  requireShort,
} from '../core/sentence/sentence-limit.js';
import { namedTokenizer, type TokenizerChoice } from './tokenizers/named-tokenizer.js';
import type { Tokenizer } from './tokenizers/tokenizer.js';
import { sentencesOf, wordsOf } from './words-of.js';

/** Division of a text: the options of the stage `tokenize`. */
export interface TextDivision extends TokenizerChoice {
  /** Whether text is split into sentences. */
  readonly sentences: boolean;
  /** Additional abbreviations, which do not end a sentence. */
  readonly abbreviations?: readonly string[] | undefined;
}

/** A text split into tokens and sentences. */
export interface DividedText {
  readonly tokens: readonly string[];
  /** UTF-16 units `[start, end)` of each token. */
  readonly offsets: readonly Range[];
  /** Tokens `[start, end)` of each sentence. */
  readonly sentences: readonly Range[];
}

const defaults: TextDivision = { tokenizer: 'regex', sentences: true, locale: 'en' };

/**
 * Returns a function that splits texts; a text of only white space has no tokens and no sentences.
 * With `maxTokens`, the function rejects (`too-large`) the same as a source: longer sentences, and
 * texts with more than 16 times as many tokens.
 *
 * @param learned the model's tokenizer, if it has one
 */
export function dividerOf(
  division: TextDivision = defaults,
  learned?: Tokenizer,
): (text: string, maxTokens?: number) => DividedText {
  const tokenizer = namedTokenizer(division, learned);
  return (text, maxTokens = Number.POSITIVE_INFINITY) => {
    const found = wordsOf(tokenizer, text, recordTokens * maxTokens);
    const { offsets, forms } = found;
    requireAtMost(recordTokens * maxTokens, offsets, 'tokens');
    const tokens = offsets.map(([start, end], t) => forms?.get(t) ?? text.slice(start, end));
    const whole: Range[] = tokens.length === 0 ? [] : [[0, tokens.length]];
    const sentences = division.sentences ? sentencesOf(found, text, division) : whole;
    requireAtMost(recordSentences * maxTokens, sentences, 'sentences');
    requireShort(sentences, maxTokens);
    return { tokens, offsets, sentences };
  };
}
