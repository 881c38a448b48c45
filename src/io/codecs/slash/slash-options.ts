import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';

export const slashOptions = z.strictObject({
  separator: z
    .string()
    .min(1)
    .regex(/^[^ \t\r\n]+$/, 'white space separates words')
    .default('/')
    .describe('what stands between a word and its tag; the last one in a word counts'),
  columns: z
    .array(z.string().min(1))
    .min(2)
    .refine(
      ([first, ...others]) =>
        first === 'form' &&
        others.filter(name => name === 'tag').length === 1 &&
        new Set(others.filter(name => name !== '_')).size ===
          others.filter(name => name !== '_').length,
      'begins with form and has one tag, as [form, pos, tag]',
    )
    .optional()
    .describe(
      'the parts of a word between its separators, such as [form, pos, tag] for `Rome|NNP|I-LOC`; `_` is ignored; default: [form, tag]',
    ),
  tagOptional: z
    .boolean()
    .default(false)
    .describe('a line may hold words alone: for records to be tagged'),
  ...tagCellOptions,
  ...lineOptions,
});
