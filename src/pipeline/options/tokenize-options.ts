import * as z from 'zod';
import { localeProblem } from '../../text/sentences/segmenter.js';
import { tokenizerNames } from '../../text/tokenizers/named-tokenizer.js';

/** What is wrong with a tokenizer by name where a model has one. */
export const otherTokenizer = 'the tokenizer is that of the model: leave tokenizer and pattern out';

/** How tokens and sentences are found in text, in a pipeline file and from code. */
export const tokenizeOptions = z
  .strictObject({
    tokenizer: z
      .enum(tokenizerNames)
      .default('regex')
      .describe(
        'tokenizer for text (treebank: Penn conventions, for English; learned: a model of characters, learned from the texts and tokens of the training data and part of the model file); records with tokens keep theirs',
      ),
    pattern: z
      .optional(z.string().min(1))
      .describe('for regex: the pattern of a token, instead of the built-in one'),
    model: z
      .optional(z.string().min(1))
      .describe(
        'model file with a learned tokenizer, which divides the texts, instead of a tokenizer by name',
      ),
    sentences: z.boolean().default(true).describe('split text into sentences'),
    locale: z
      .string()
      .min(1, { abort: true })
      .refine(text => localeProblem(text) === undefined, {
        error: ({ input }) => localeProblem(String(input)),
      })
      .default('en')
      .describe('language of the text'),
  })
  .refine(
    ({ model, tokenizer, pattern }) =>
      model === undefined || (['regex', 'learned'].includes(tokenizer) && pattern === undefined),
    {
      path: ['model'],
      error: otherTokenizer,
    },
  );

export type TokenizeStageOptions = z.output<typeof tokenizeOptions>;

/**
 * The options with the tokenizer by its name: `learned`, of which `model` is the whole path where a file is named.
 *
 * @param resolve makes a whole path of that in the options
 */
export function namedTokenizerFile(
  chosen: TokenizeStageOptions,
  resolve: (file: string) => string,
): TokenizeStageOptions {
  const { model } = chosen;
  return model === undefined ? chosen : { ...chosen, tokenizer: 'learned', model: resolve(model) };
}

/** Whether the tokenizer is one that is learned before the model is. */
export function isToBeLearned(chosen: TokenizeStageOptions | undefined): boolean {
  return chosen?.tokenizer === 'learned' && chosen.model === undefined;
}

/** What a model file keeps of it: the tokenizer is in the file itself. */
export function storedDivision(
  chosen: TokenizeStageOptions | undefined,
): TokenizeStageOptions | undefined {
  if (chosen?.model === undefined) return chosen;
  const { model: _, ...stored } = chosen;
  return stored;
}
