import * as z from 'zod';

/** Options of trainers that say when they are done. */
export const stoppingShape = {
  tolerance: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('length of the gradient, relative to that of the weights, that counts as zero'),
  decrease: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('ends where the objective falls by less than this share over `period` iterations'),
  period: z.int().min(1).default(10).describe('iterations that `decrease` looks back'),
};
