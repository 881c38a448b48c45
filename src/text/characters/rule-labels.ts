import type { Range } from '../../core/sentence/document.js';
import { sentencesWithin, unicodeSentenceEnds } from '../sentences/sentence-splitter.js';
import { regexTokenizer } from '../tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { treebankTokenizer } from '../tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../tokenizers/unicode-tokenizer.js';
import type { CharacterText } from './character-text.js';
import { labelCharacters } from './labels.js';

/** The tokenizers that characters are asked of, by the letter of their column. */
export const ruleTokenizers = ['r', 'u', 'p'] as const;

/** What the built-in tokenizers, each with the sentence splitter, say of the characters of a text. */
export class RuleLabels {
  readonly #tokenizers: readonly Tokenizer[];
  readonly #locale: string;

  constructor(locale: string) {
    this.#locale = locale;
    this.#tokenizers = [regexTokenizer(), unicodeTokenizer({ locale }), treebankTokenizer()];
  }

  /** Labels of the code points of a paragraph, by tokenizer. */
  of(text: string, [from, to]: Range, characters: CharacterText): readonly Uint8Array[] {
    const paragraph = text.slice(from, to);
    const ends = unicodeSentenceEnds(paragraph, this.#locale);
    return this.#tokenizers.map(tokenizer => {
      const found = tokenizer(paragraph);
      const sentences = found.length === 0 ? [] : sentencesWithin(paragraph, found, ends);
      const offsets = from === 0 ? found : found.map(([s, e]): Range => [s + from, e + from]);
      const labels = new Uint8Array(characters.length);
      labelCharacters(characters, offsets, sentences, labels);
      return labels;
    });
  }
}
