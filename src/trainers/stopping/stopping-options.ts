import * as z from 'zod';

/** Options of trainers that say when they are done. */
export const stoppingShape = {
  tolerance: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('convergence threshold on the relative gradient norm'),
  decrease: z
    .number()
    .min(0)
    .default(1e-5)
    .describe('stop when the objective falls by less than this share over `period` iterations'),
  period: z.int().min(1).default(10).describe('iterations over which `decrease` is measured'),
};
