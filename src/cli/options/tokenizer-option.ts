import type { TokenizeStageOptions } from '../../pipeline/options/tokenize-options.js';

/** The options of commands that divide texts. */
export const tokenizerOption = {
  tokenizer: {
    choices: ['regex', 'treebank', 'unicode', 'whitespace', 'characters'],
    describe: 'how texts without tokens are divided, as in the stage tokenize [default: regex]',
  },
  locale: {
    type: 'string',
    requiresArg: true,
    describe: 'language of the texts, for sentences [default: en]',
  },
} as const;

/** Arguments of `tokenizerOption`. */
export interface TokenizerArguments {
  readonly tokenizer?: TokenizeStageOptions['tokenizer'] | undefined;
  readonly locale?: string | undefined;
}
