import * as z from 'zod';
import { onlyLoss } from '../requirements.js';
import { stoppingShape } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { IterativeScaling } from './iterative-scaling.js';

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  groups: z
    .int()
    .min(1)
    .max(1000)
    .default(16)
    .describe('maximum number of distinct feature totals; each takes a vector of weights'),
  ...stoppingShape,
});

/** Options of `iis`, with their defaults. */
export type IisOptions = z.infer<typeof options>;

/**
 * Improved iterative scaling: each weight solves sum p f_k exp(d f#(x)) = observed_k, with each
 * sentence's own total f# instead of the maximum. Della Pietra, Della Pietra and Lafferty (1997).
 */
export const iis: TrainerComponent<IisOptions> = {
  name: 'iis',
  summary: 'improved iterative scaling over the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  oneThread: () => true,
  example: 'optimize: { iis: { l2: 1 } }',
  needs: onlyLoss('log'),
  logLinear: () => true,
  create: (chosen, context) =>
    new IterativeScaling('iis', chosen, context.objective(chosen.l2), chosen.groups),
};
