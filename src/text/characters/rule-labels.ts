import type { Range } from '../../core/sentence/document.js';
import { splitSentences } from '../sentences/sentence-splitter.js';
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
  /** Labels of the code points of the paragraph that was looked at last, by tokenizer. */
  readonly labels: Uint8Array[] = ruleTokenizers.map(() => new Uint8Array(0));

  constructor(locale: string) {
    this.#locale = locale;
    this.#tokenizers = [regexTokenizer(), unicodeTokenizer({ locale }), treebankTokenizer()];
  }

  look(text: string, [from, to]: Range, characters: CharacterText): void {
    const paragraph = text.slice(from, to);
    for (const [i, tokenizer] of this.#tokenizers.entries()) {
      if (this.labels[i]!.length < characters.length) {
        this.labels[i] = new Uint8Array(2 * characters.length);
      }
      const found = tokenizer(paragraph);
      const sentences = splitSentences(paragraph, found, { locale: this.#locale });
      const offsets = from === 0 ? found : found.map(([s, e]): Range => [s + from, e + from]);
      labelCharacters(characters, offsets, sentences, this.labels[i]!);
    }
  }
}
