import type { Range } from '../../core/sentence/document.js';
import {
  featureRules,
  sentencesWithin,
  unicodeSentenceEnds,
} from '../sentences/sentence-splitter.js';
import { regexTokenizer } from '../tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { treebankTokenizer } from '../tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../tokenizers/unicode-tokenizer.js';
import type { CharacterText } from './character-text.js';
import { labelCharacters } from './labels.js';

/** Tokenizers whose labels are features of characters, by the letter of their column. */
export const ruleTokenizers = ['r', 'u', 'p'] as const;

const noLabels = new Uint8Array(0);

/**
 * Labels given to a text's characters by the built-in tokenizers, each with the sentence splitter.
 */
export class RuleLabels {
  readonly #tokenizers: readonly (Tokenizer | undefined)[];
  readonly #locale: string;

  /** @param asked the requested tokenizers */
  constructor(locale: string, asked: ReadonlySet<(typeof ruleTokenizers)[number]>) {
    this.#locale = locale;
    const made = {
      r: () => regexTokenizer({ locale }),
      u: () => unicodeTokenizer({ locale }),
      p: treebankTokenizer,
    };
    this.#tokenizers = ruleTokenizers.map(name => (asked.has(name) ? made[name]() : undefined));
  }

  /**
   * Returns labels of the code points of a paragraph, by tokenizer; absent for tokenizers that were
   * not requested.
   */
  of(text: string, [from, to]: Range, characters: CharacterText): readonly Uint8Array[] {
    const paragraph = text.slice(from, to);
    const ends = unicodeSentenceEnds(paragraph, this.#locale);
    return this.#tokenizers.map(tokenizer => {
      if (tokenizer === undefined) return noLabels;
      const found = tokenizer(paragraph);
      const sentences =
        found.length === 0 ? [] : sentencesWithin(paragraph, found, ends, featureRules);
      const offsets = from === 0 ? found : found.map(([s, e]): Range => [s + from, e + from]);
      const labels = new Uint8Array(characters.length);
      labelCharacters(characters, offsets, sentences, labels);
      return labels;
    });
  }
}
