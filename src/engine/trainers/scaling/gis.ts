import * as z from 'zod';
import { onlyLoss } from '../requirements.js';
import { stoppingShape } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { IterativeScaling } from './iterative-scaling.js';

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  ...stoppingShape,
});

/** Options of `gis`, with their defaults. */
export type GisOptions = z.infer<typeof options>;

/**
 * Generalised iterative scaling: w_k += log(observed_k / expected_k) / C without L2, with C the maximum
 * feature total of a sentence. Slow for long sentences; for comparison only. Darroch and Ratcliff
 * (1972); Lafferty, McCallum and Pereira (2001) for sequences.
 */
export const gis: TrainerComponent<GisOptions> = {
  name: 'gis',
  summary: 'generalised iterative scaling over the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  oneThread: () => true,
  example: 'optimize: { gis: { l2: 1 } }',
  needs: onlyLoss('log'),
  logLinear: () => true,
  create: (chosen, context) => new IterativeScaling('gis', chosen, context.objective(chosen.l2), 1),
};
