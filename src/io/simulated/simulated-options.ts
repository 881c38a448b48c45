import * as z from 'zod';

/** Options of sequences drawn from a hidden Markov model. */
export const simulatedOptions = z.strictObject({
  sequences: z.int().min(1).default(100).describe('sequences to draw'),
  length: z.int().min(1).max(10_000).default(5).describe('tokens in each'),
  seed: z.int().default(1).describe('seed; another seed draws other sequences from the same model'),
  emission: z
    .number()
    .min(0.2)
    .max(1)
    .default(0.97)
    .describe('probability of the most frequent observation of a label'),
  transition: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('probability of each of the two transitions that differ from the rest'),
});

export type SimulatedOptions = z.output<typeof simulatedOptions>;
