import * as z from 'zod';

/** How much a limited-memory method remembers. */
export const historyShape = {
  memory: z
    .int()
    .min(1)
    .max(100)
    .default(6)
    .describe('history size: pairs of steps and gradient differences'),
};
