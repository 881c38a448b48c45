import * as z from 'zod';
import { CoordinateDescent } from './descent/coordinate-descent.js';
import { stoppingShape } from './stopping-options.js';
import type { TrainerComponent } from './trainer-component.js';

const options = z.strictObject({
  l1: z.number().min(0).default(1).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0.01).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  stabilise: z
    .number()
    .min(1)
    .default(1)
    .describe('what the curvature of each block is multiplied by at first; it adapts'),
  ...stoppingShape,
});

export type BcdOptions = z.infer<typeof options>;

/**
 * Blockwise coordinate descent with the elastic net: all weights of a feature move at once, with
 * forward-backward over the sentences in which it is active. Sokolovska, Lavergne, Cappe and Yvon
 * (2010), section 4.4.
 */
export const bcd: TrainerComponent<BcdOptions> = {
  name: 'bcd',
  summary: 'blockwise coordinate descent with L1 and L2, a feature after the other',
  options,
  example: 'optimize: { bcd: { l1: 1, l2: 0.01 } }',
  create: (chosen, context) =>
    new CoordinateDescent('bcd', chosen, context.objective(chosen.l2), false),
};
