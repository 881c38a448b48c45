import * as z from 'zod';
import { selectionOptions } from '../../io/select-records.js';

/** Options that every source has beside those of its codec. */
export const commonSourceShape = {
  files: z
    .array(z.string().min(1))
    .min(1)
    .default(['-'])
    .describe('files to read one after the other, - is the standard input; gzip is recognised'),
  budget: z
    .int()
    .min(1)
    .optional()
    .describe('records that may be under way at a time; 10,000 if nothing is said'),
  ...selectionOptions.shape,
};

const common = Object.keys(commonSourceShape);

/** The options without those that every source has. */
export function withoutCommon(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => !common.includes(key) && value !== undefined),
  );
}
