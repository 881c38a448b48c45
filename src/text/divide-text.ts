import type { Range } from '../core/sentence/document.js';
import { splitSentences } from './sentences/sentence-splitter.js';
import { namedTokenizer, type TokenizerChoice } from './tokenizers/named-tokenizer.js';

/** How a text is divided: the options of the stage `tokenize`. */
export interface TextDivision extends TokenizerChoice {
  /** Whether text is split into sentences. */
  readonly sentences: boolean;
}

/** A text divided into tokens and sentences. */
export interface DividedText {
  readonly tokens: readonly string[];
  /** UTF-16 units `[start, end)` of each token. */
  readonly offsets: readonly Range[];
  /** Tokens `[start, end)` of each sentence. */
  readonly sentences: readonly Range[];
}

const defaults: TextDivision = { tokenizer: 'regex', sentences: true, locale: 'en' };

/** Makes what divides texts; a text of white space has no tokens and no sentences. */
export function dividerOf(division: TextDivision = defaults): (text: string) => DividedText {
  const tokenizer = namedTokenizer(division);
  return text => {
    const offsets = tokenizer(text);
    const tokens = offsets.map(([start, end]) => text.slice(start, end));
    const { locale } = division;
    const whole: Range[] = tokens.length === 0 ? [] : [[0, tokens.length]];
    const sentences = division.sentences ? splitSentences(text, offsets, { locale }) : whole;
    return { tokens, offsets, sentences };
  };
}
