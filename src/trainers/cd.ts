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
    .describe('what the curvature is multiplied by at first; it adapts, for each feature'),
  ...stoppingShape,
});

export type CdOptions = z.infer<typeof options>;

/**
 * Coordinate descent with the elastic net, one weight after the other: a pass takes as many
 * forward-backward runs over the sentences of a feature as it has weights that move, so this is for small
 * problems. Sokolovska, Lavergne, Cappe and Yvon (2010), section 4.3.
 */
export const cd: TrainerComponent<CdOptions> = {
  name: 'cd',
  summary: 'coordinate descent with L1 and L2, a weight after the other: for small problems',
  options,
  example: 'optimize: { cd: { l1: 1, l2: 0.01 } }',
  create: (chosen, context) =>
    new CoordinateDescent('cd', chosen, context.objective(chosen.l2), true),
};
