import * as z from 'zod';

/** Options of whatever makes tables of counts: see `Smoothing`. */
export const smoothingShape = {
  k: z
    .number()
    .positive()
    .default(0.001)
    .describe('added to the count of each word or class of a label'),
  transitionK: z
    .number()
    .positive()
    .default(1)
    .describe('added to the count of each transition, and of each label of a first token'),
  minCount: z
    .int()
    .min(1)
    .default(2)
    .describe('minimum count of a word with an entry of its own; rarer words count as their class'),
  varianceFloor: z
    .number()
    .positive()
    .default(1e-6)
    .describe(
      'minimum variance of the numbers of %v, in the square of their unit; minimum eigenvalue of full covariances',
    ),
  shrinkage: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('share by which full covariances are shrunk towards 0, variances as they are'),
};
