import { onlyLoss } from '../only-loss.js';
import type { TrainerComponent } from '../trainer-component.js';
import { CoordinateDescent } from './coordinate-descent.js';
import { type DescentOptions, descentOptions } from './descent-options.js';

/**
 * Blockwise coordinate descent with the elastic net: all weights of a feature move at once, with
 * forward-backward over the sentences in which it is active. Sokolovska, Lavergne, Cappe and Yvon
 * (2010), section 4.4.
 */
export const bcd: TrainerComponent<DescentOptions> = {
  name: 'bcd',
  summary: 'blockwise coordinate descent with L1 and L2, one feature at a time',
  options: descentOptions,
  oneThread: () => true,
  example: 'optimize: { bcd: { l1: 1, l2: 0.01 } }',
  needs: onlyLoss('log'),
  logLinear: () => true,
  create: (chosen, context) =>
    new CoordinateDescent('bcd', chosen, context.objective(chosen.l2), false),
};
