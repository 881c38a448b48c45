import * as z from 'zod';
import { allOnResume, onResume } from '../../../engine/core/schema/on-resume.js';
import { clusterOptions } from '../../../engine/interfaces/cluster-options.js';

/** How training passes over the data. */
export const trainOptions = z.strictObject({
  epochs: onResume(
    'length',
    z
      .optional(z.int().min(1))
      .describe(
        'number of passes over the corpus, which is held in memory; default: read the source once, as a stream',
      ),
  ),
  seed: z.int().default(1).describe('seed for the order of sentences and for dropout'),
  seeds: z
    .optional(z.int().min(1).max(64))
    .describe(
      'number of trainings with the seeds seed, seed + 1 and so on, whose weights are averaged: one model, just as large and fast, often more accurate; needs epochs and an online optimizer. Default: 1',
    ),
  shuffle: z.boolean().default(true).describe('shuffle the sentences before each pass'),
  dropout: z
    .optional(z.number().min(0).lt(1))
    .describe(
      'feature dropout: probability of omitting each feature in each visit to a sentence, so that the model does not rely on single words; needs epochs',
    ),
  corpusSize: z
    .optional(z.int().min(1))
    .describe(
      'N, the number of sentences that penalties are divided by; required on an endless stream',
    ),
  workers: onResume(
    'work',
    z
      .int()
      .min(1)
      .max(64)
      .default(1)
      .describe(
        'threads that train together; needs epochs and the kernel simd or simd64. With from: PIPELINE, also the number of first models that are trained at the same time; one thread then trains the second model if its settings ask for that, as dropout does',
      ),
  ),
  mode: z
    .enum(['deterministic', 'hogwild'])
    .default('deterministic')
    .describe(
      'deterministic: the same output for any number of workers; hogwild: lock-free updates of shared weights after each sentence, not reproducible',
    ),
  cluster: z
    .optional(clusterOptions)
    .describe(
      'train on many machines over NATS JetStream: shards of the corpus are tasks of a work queue, see tagstream cluster work; needs epochs, or every for a stream',
    ),
  ...allOnResume('output', {
    threshold: z
      .optional(
        z
          .strictObject({
            below: z
              .number()
              .positive()
              .optional()
              .describe('set weights of smaller magnitude to zero'),
            keep: z
              .int()
              .min(1)
              .optional()
              .describe('maximum number of weights to keep, the largest'),
          })
          .refine(({ below, keep }) => below !== undefined || keep !== undefined, {
            message: 'below or keep is needed',
          }),
      )
      .describe('after training, set the smallest weights of the model file to zero'),
    temperature: z
      .optional(z.number().positive())
      .describe(
        'divide the weights of the finished model by this number: above 1, its probabilities are less confident about the same tags. Default: 1',
      ),
    compact: z
      .optional(z.boolean())
      .describe(
        'write a small model file: weights are rounded to multiples of 1/64, and features with equal weights share them. Default: true with a preset, otherwise false',
      ),
  }),
  margins: z
    .optional(z.boolean())
    .describe(
      'keep the mistakes and the smallest margin of each pass in the model file, for inspect; needs epochs and the loss perceptron, hinge or softmax-margin. Default: false',
    ),
  start: z
    .optional(z.string().min(1))
    .describe(
      'model file or checkpoint folder with the initial weights; features are matched by fingerprint, labels by name',
    ),
});

export type TrainOptions = z.output<typeof trainOptions>;

/** Returns the total number of passes over the corpus, with all seeds; undefined on a stream. */
export function epochsOf(
  train: Partial<Pick<TrainOptions, 'epochs' | 'seeds'>> | undefined,
): number | undefined {
  const { epochs, seeds = 1 } = train ?? {};
  return epochs === undefined ? undefined : epochs * seeds;
}
