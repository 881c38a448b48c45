import * as z from 'zod';

/** How training goes over the data. */
export const trainOptions = z.strictObject({
  epochs: z
    .int()
    .min(1)
    .optional()
    .describe('passes over the corpus, which is read whole; absent: the stream is read once'),
  seed: z.int().default(1).describe('seed of the order of the sentences'),
  shuffle: z.boolean().default(true).describe('a new order in each pass'),
  dropout: z
    .number()
    .min(0)
    .lt(1)
    .optional()
    .describe(
      'probability with which each feature is left out of each visit to a sentence, so that weights do not rely on single words; needs epochs',
    ),
  corpusSize: z
    .int()
    .min(1)
    .optional()
    .describe('N, sentences that the penalties are divided by; needed on an endless stream'),
  workers: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('threads that train together; needs epochs and the kernel simd or simd64'),
  mode: z
    .enum(['deterministic', 'hogwild'])
    .default('deterministic')
    .describe(
      'deterministic: the same bytes for any number of workers; hogwild: shared weights without locks, a step for each sentence, no two runs are the same',
    ),
  threshold: z
    .strictObject({
      below: z.number().positive().optional().describe('weights that are smaller become zero'),
      keep: z.int().min(1).optional().describe('weights that stay at most, the largest'),
    })
    .refine(({ below, keep }) => below !== undefined || keep !== undefined, {
      message: 'below or keep is needed',
    })
    .optional()
    .describe('after training: weights of the model file whose size is too small become zero'),
  start: z
    .string()
    .min(1)
    .optional()
    .describe(
      'model file, or folder of checkpoints, whose weights training starts from; features are matched by fingerprint, labels by name',
    ),
});

export type TrainOptions = z.output<typeof trainOptions>;
