import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';
import { annotationChoices } from './annotations.js';
import { offsetUnits } from './counting.js';

export const foreignOptions = z.strictObject({
  misaligned: z
    .enum(['reject', 'widen', 'unknown'])
    .default('reject')
    .describe(
      'spans that begin or end inside of a token: reject the record, widen them to whole tokens, or leave the tags of the tokens that they touch unknown',
    ),
  overlaps: z
    .enum(['reject', 'longest', 'first'])
    .default('reject')
    .describe(
      'spans that overlap, or share a token: reject the record, or take the longest, or the one that begins first; of a span in several pieces that has words between them likewise one piece; what is left out is counted',
    ),
  offsets: z
    .enum(offsetUnits)
    .optional()
    .describe(
      'what offsets count: code points, UTF-16 units or bytes of UTF-8; default: as the tool counts, unless only another unit fits the texts and words of a record',
    ),
  annotations: z
    .enum(annotationChoices)
    .default('agree')
    .describe(
      'where a record has the annotations of several people: reject it unless they agree, take the first one, make each a record, or take the spans that more than half of them have',
    ),
  ...lineOptions,
});
