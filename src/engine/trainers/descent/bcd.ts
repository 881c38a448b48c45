import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { type BlockOptions, blockOptions, CoordinateDescent } from './coordinate-descent.js';

/**
 * Blockwise coordinate descent with the elastic net: all weights of a feature move at once, with forward-backward over
 * the sentences with the feature. With `joint`, the weights of all features that share an observation, such as a letter
 * with one label (mu) and with two (lambda), move at once, which saves an evaluation per observation. Sokolovska,
 * Lavergne, Cappe and Yvon (2010), section 4.4.
 */
export const bcd: TrainerComponent<BlockOptions> = {
  name: 'bcd',
  summary: 'blockwise coordinate descent with L1 and L2, one feature at a time',
  options: blockOptions,
  penalty: ({ l1, l2, group }) => ({ l1, l2, others: group > 0 }),
  oneThread: () => true,
  example: 'optimize: { bcd: { l1: 1, l2: 0.01 } }',
  needs: onlyLoss('log'),
  logLinear: () => true,
  create: (chosen, context) => {
    const grouping = chosen.joint ? 'observation' : 'feature';
    return new CoordinateDescent('bcd', chosen, context.objective(chosen.l2), grouping);
  },
};
