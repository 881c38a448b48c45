import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';

const defaultTag = 'phonemes';

export const lettersOptions = z
  .strictObject({
    columns: z
      .array(z.string().min(1))
      .min(1)
      .refine(names => new Set(names).size === names.length, 'a column name stands twice')
      .default(['word', defaultTag, 'stress', 'class'])
      .describe('names of the tab-separated columns'),
    form: z.string().min(1).default('word').describe('the column whose letters are the tokens'),
    tag: z
      .string()
      .min(1)
      .optional()
      .describe(
        'the column with one tag per letter; default: `phonemes`, if there is such a column',
      ),
    tagOptional: z
      .boolean()
      .default(false)
      .describe('a row may hold only the word: for words to be tagged'),
    ...lineOptions,
  })
  .refine(({ columns, form }) => columns.includes(form), {
    path: ['form'],
    message: 'no such column',
  })
  .refine(({ columns, tag }) => tag === undefined || columns.includes(tag), {
    path: ['tag'],
    message: 'no such column',
  });

/** The columns of a letters file by their places in a row. */
export interface LettersLayout {
  readonly columns: readonly string[];
  readonly formIndex: number;
  /** -1 where there are no gold tags. */
  readonly tagIndex: number;
  /** A row may hold the word alone. */
  readonly tagOptional?: boolean;
}

/** The layout that checked options describe. */
export function lettersLayout(options: z.output<typeof lettersOptions>): LettersLayout {
  const { columns, form, tag = defaultTag, tagOptional } = options;
  return { columns, formIndex: columns.indexOf(form), tagIndex: columns.indexOf(tag), tagOptional };
}
