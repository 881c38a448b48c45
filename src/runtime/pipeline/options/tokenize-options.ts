import * as z from 'zod';
import { abbreviationProblem } from '../../../engine/text/sentences/abbreviations.js';
import { localeProblem } from '../../../engine/text/sentences/segmenter.js';
import { tokenizerNames } from '../../../engine/text/tokenizers/named-tokenizer.js';

/** The error message for a tokenizer named for a model that contains one. */
export const otherTokenizer = 'the model contains the tokenizer: leave tokenizer and pattern out';

const ownAbbreviation = z.string().refine(text => abbreviationProblem(text) === undefined, {
  error: ({ input }) => abbreviationProblem(String(input)),
});

const listOfAbbreviations = z.array(ownAbbreviation).min(1);

/** How tokens and sentences are found in a text. */
export const divisionOptions = z.strictObject({
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
      'model file with a learned tokenizer, or of characters whose tags mark words, instead of a tokenizer by name',
    ),
  sentences: z.boolean().default(true).describe('split text into sentences'),
  locale: z
    .string()
    .min(1, { abort: true })
    .refine(text => localeProblem(text) === undefined, {
      error: ({ input }) => localeProblem(String(input)),
    })
    .default('en')
    .describe(
      'language of the text: which words end in an apostrophe (fr, ca, it), and for sentences which abbreviations and ordinals there are (cs, da, de, el, es, fi, fr, hu, is, it, nb, nl, nn, no, pl, pt, ru, sv, tr; else those of en)',
    ),
  abbreviations: z
    .optional(listOfAbbreviations)
    .describe(
      'further abbreviations that do not end a sentence: `z. B.`, or `Art #NUMERIC_ONLY#` before numbers',
    ),
});

/** Options that have no effect in combination with others, each with the reason. */
const idle: readonly {
  readonly option: 'model' | 'pattern' | 'abbreviations';
  readonly error: string;
  readonly when: (chosen: IdleOptions) => boolean;
}[] = [
  {
    option: 'model',
    error: otherTokenizer,
    when: ({ model, tokenizer, pattern }) =>
      model !== undefined && (!['regex', 'learned'].includes(tokenizer) || pattern !== undefined),
  },
  {
    option: 'pattern',
    error: 'only the tokenizer regex has a pattern: leave it out, or tokenizer',
    when: ({ tokenizer, pattern }) => pattern !== undefined && tokenizer !== 'regex',
  },
  {
    option: 'abbreviations',
    error: 'a learned tokenizer finds the sentences itself: leave abbreviations out',
    when: chosen => chosen.model !== undefined || chosen.tokenizer === 'learned',
  },
  {
    option: 'abbreviations',
    error: 'the text is not split into sentences: leave abbreviations out, or sentences: false',
    when: ({ sentences }) => !sentences,
  },
];

type IdleOptions = Pick<TokenizeStageOptions, 'tokenizer' | 'model' | 'pattern' | 'sentences'>;

/** Returns the schema, made to reject tokenization options without effect. */
export function withoutIdle<Schema extends z.ZodType<IdleOptions & { abbreviations?: unknown }>>(
  schema: Schema,
): Schema {
  return idle.reduce(
    (checked, { option, error, when }) =>
      checked.refine(chosen => chosen[option] === undefined || !when(chosen), {
        path: [option],
        error,
      }),
    schema,
  );
}

/** The tokenization options in a pipeline file. */
export const tokenizeOptions = withoutIdle(
  divisionOptions.extend({
    abbreviations: z
      .optional(z.union([z.string().min(1), listOfAbbreviations]))
      .describe(
        'further abbreviations that do not end a sentence, or a file with one per line: `z. B.`, or `Art #NUMERIC_ONLY#` before numbers; they become part of the model',
      ),
  }),
);

export type TokenizeStageOptions = z.output<typeof divisionOptions>;

/**
 * Returns the options with the tokenizer by name: `learned`, with its absolute path in `model` if a file is named.
 *
 * @param resolve makes the path in the options absolute
 */
export function namedTokenizerFile(
  chosen: TokenizeStageOptions,
  resolve: (file: string) => string,
): TokenizeStageOptions {
  const { model } = chosen;
  return model === undefined ? chosen : { ...chosen, tokenizer: 'learned', model: resolve(model) };
}

/** Returns whether the tokenizer is learned before the model. */
export function isToBeLearned(chosen: TokenizeStageOptions | undefined): boolean {
  return chosen?.tokenizer === 'learned' && chosen.model === undefined;
}

/** Returns the options that a model file stores: the tokenizer is in the file itself. */
export function storedDivision(
  chosen: TokenizeStageOptions | undefined,
): TokenizeStageOptions | undefined {
  if (chosen?.model === undefined) return chosen;
  const { model: _, ...stored } = chosen;
  return stored;
}
