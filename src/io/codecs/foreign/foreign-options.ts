import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';

export const foreignOptions = z.strictObject({
  misaligned: z
    .enum(['reject', 'widen', 'unknown'])
    .default('reject')
    .describe(
      'spans that begin or end inside of a token: reject the record, widen them to whole tokens, or leave the tags of the tokens that they touch unknown',
    ),
  ...lineOptions,
});
