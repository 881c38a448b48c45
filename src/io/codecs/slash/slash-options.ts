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
  tagOptional: z
    .boolean()
    .default(false)
    .describe('a line may hold words alone: for records to be tagged'),
  ...tagCellOptions,
  ...lineOptions,
});
