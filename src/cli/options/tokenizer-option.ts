import { text } from './option-kinds.js';

/** The option of commands that divide texts. */
export function tokenizerOption(usual: string) {
  return text(
    `tokenizer for texts without tokens: regex, treebank, unicode, whitespace, characters, or a model file with a learned tokenizer [default: ${usual}]`,
  );
}

export const localeOption = text(
  'language of the texts: elision, abbreviations and ordinals [default: en]',
);
