import * as z from 'zod';
import { type TokenizeOptions, tokenize } from '../../operators/tokenize.js';
import { namedTokenizer } from '../../text/tokenizers/named-tokenizer.js';
import { defineStage } from '../definition/stage-component.js';

/** How tokens and sentences are found in text, in a pipeline file and from code. */
export const tokenizeOptions = z.strictObject({
  tokenizer: z
    .enum(['regex', 'treebank', 'unicode', 'whitespace', 'characters'])
    .default('regex')
    .describe(
      'tokenizer for text (treebank: Penn conventions, for English); records with tokens keep theirs',
    ),
  pattern: z
    .string()
    .min(1)
    .optional()
    .describe('for regex: the pattern of a token, instead of the built-in one'),
  sentences: z.boolean().default(true).describe('split text into sentences'),
  locale: z.string().min(1).default('en').describe('language of the text'),
});

export type TokenizeStageOptions = z.output<typeof tokenizeOptions>;

/** What the options of the stage come to; the defaults where there is no such stage. */
export function chosenTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  if (chosen === undefined) return {};
  const { sentences, locale } = chosen;
  return { tokenizer: namedTokenizer(chosen), sentences, locale };
}

export const tokenizeStage = defineStage({
  name: 'tokenize',
  summary: 'finds tokens and sentences in text',
  example: 'tokenize: { tokenizer: unicode, locale: es }',
  takes: ['document'],
  gives: 'sentence',
  options: tokenizeOptions,
  create(chosen, setup) {
    setup.tokenizeOptions = chosen;
    setup.tokenizer = chosenTokenizer(chosen);
    return tokenize(setup.tokenizer);
  },
});
