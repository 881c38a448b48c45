import * as z from 'zod';

/** Where tagged records go. */
export const sinkOptions = z.strictObject({
  file: z.string().min(1).default('-').describe('where to write; - is the standard output'),
  output: z
    .enum(['record', 'tags'])
    .default('record')
    .describe('the record with all results, or the shortest form'),
  only: z
    .enum(['all', 'unlabelled'])
    .default('all')
    .describe('which records are written: all, or those that came without tags'),
});

export type SinkOptions = z.output<typeof sinkOptions>;
