import * as z from 'zod';
import { stoppingShape } from '../stopping/stopping-options.js';

/** Options of coordinate descent, feature by feature and weight by weight. */
export const descentOptions = z.strictObject({
  l1: z.number().min(0).default(1).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0.01).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  stabilise: z
    .number()
    .min(1)
    .default(1)
    .describe('initial factor of the curvature of each feature; it adapts'),
  ...stoppingShape,
});

/** Those of blockwise descent. */
export const blockOptions = descentOptions.extend({
  joint: z
    .boolean()
    .default(false)
    .describe('move the weights of all features of an observation at once, of labels and of pairs'),
});

/** Options of `bcd`, with their defaults. */
export type BlockOptions = z.infer<typeof blockOptions>;

/** Options of `cd`, with their defaults. */
export type DescentOptions = z.infer<typeof descentOptions>;
