import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';

export const webannoOptions = z.strictObject({
  column: z
    .int()
    .min(1)
    .default(1)
    .describe('the column with the labels, from 1, after those of id, place and token'),
  spans: z
    .boolean()
    .default(true)
    .describe(
      'labels mark spans, whose tags are BIO; false: each token has one, as a part of speech',
    ),
  overlaps: z
    .enum(['reject', 'longest', 'first'])
    .default('reject')
    .describe(
      'spans that overlap, and labels of parts of tokens: reject the sentence, take the longest, or the one that begins first',
    ),
  ...lineOptions,
});

/** Options of `webannoCodec`, checked. */
export type WebannoFormat = z.output<typeof webannoOptions>;
