import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';
import { conllDefaults } from './conll-layout.js';

const distinct = (names: readonly string[]) => {
  const used = names.filter(name => name !== '_');
  return new Set(used).size === used.length;
};

export const conllOptions = z.strictObject({
  columns: z
    .array(z.string().min(1))
    .min(1)
    .refine(distinct, 'a column name stands twice')
    .default([...conllDefaults.columns])
    .describe(
      'names of the columns: `form` is the token (default: the first column), `tag` the gold tag, `_` is ignored',
    ),
  separator: z
    .enum(['whitespace', 'tab', 'comma', 'semicolon'])
    .default(conllDefaults.separator)
    .describe(
      'what separates columns: any run of blanks and tabs, one tab, or a comma or semicolon outside of quotation marks (CSV)',
    ),
  tagOptional: z
    .boolean()
    .default(conllDefaults.tagOptional)
    .describe('rows may lack the tag if it is the last column: for records to be tagged'),
  sentence: z
    .string()
    .min(1)
    .optional()
    .describe(
      'name of the column that numbers the sentences: a new value begins a sentence, an empty cell continues it; blank lines are not needed',
    ),
  ...tagCellOptions,
  comment: z
    .string()
    .min(1)
    .optional()
    .describe('lines that begin with this are comments, as those with -DOCSTART- always are'),
  ...lineOptions,
});
