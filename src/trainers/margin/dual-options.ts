import * as z from 'zod';

/** Options of trainers that balance dual variables. */
export const dualShape = {
  l2: z.number().positive().default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  steps: z
    .int()
    .min(1)
    .default(100)
    .describe(
      'most steps of a sentence at each visit: pairs of label sequences that are balanced, or steps of its step size',
    ),
  rounds: z
    .int()
    .min(1)
    .default(200)
    .describe('most visits to each sentence between two searches for label sequences'),
  share: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('share of the violations of a visit, and of a search, that need not be balanced'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-4)
    .describe('convergence threshold on the duality gap, relative to the objective'),
};

const options = z.strictObject(dualShape);

export type DualOptions = z.infer<typeof options>;
