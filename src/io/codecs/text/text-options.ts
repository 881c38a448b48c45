import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';

export const textOptions = z.strictObject({
  records: z
    .enum(['line', 'paragraph', 'file'])
    .default('line')
    .describe(
      'what a record is: a line, a paragraph (blank lines stand between paragraphs), or the whole file',
    ),
  ...lineOptions,
});
