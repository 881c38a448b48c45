import * as z from 'zod';
import { localeProblem } from '../../text/sentences/segmenter.js';
import { tokenizerNames } from '../../text/tokenizers/named-tokenizer.js';

/** How tokens and sentences are found in text, in a pipeline file and from code. */
export const tokenizeOptions = z.strictObject({
  tokenizer: z
    .enum(tokenizerNames)
    .default('regex')
    .describe(
      'tokenizer for text (treebank: Penn conventions, for English; learned: a model of characters, learned from the texts and tokens of the training data and part of the model file); records with tokens keep theirs',
    ),
  pattern: z
    .optional(z.string().min(1))
    .describe('for regex: the pattern of a token, instead of the built-in one'),
  sentences: z.boolean().default(true).describe('split text into sentences'),
  locale: z
    .string()
    .min(1, { abort: true })
    .refine(text => localeProblem(text) === undefined, {
      error: ({ input }) => localeProblem(String(input)),
    })
    .default('en')
    .describe('language of the text'),
});

export type TokenizeStageOptions = z.output<typeof tokenizeOptions>;
