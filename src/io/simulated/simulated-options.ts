import * as z from 'zod';

/** Options of sequences drawn from a hidden Markov model. */
export const simulatedOptions = z.strictObject({
  sequences: z.int().min(1).default(100).describe('sequences to draw'),
  length: z.int().min(1).max(10_000).default(5).describe('tokens of each'),
  seed: z.int().default(1).describe('other seeds draw other sequences from the same model'),
  emission: z
    .number()
    .min(0.2)
    .max(1)
    .default(0.97)
    .describe('probability of the observation that a label mostly has'),
  transition: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('probability of the two transitions that are not as likely as all others'),
});

export type SimulatedOptions = z.output<typeof simulatedOptions>;
