import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { CoordinateDescent, type DescentOptions, descentOptions } from './coordinate-descent.js';

/**
 * Coordinate descent with the elastic net, one weight at a time: in each pass, every moving weight
 * costs a forward-backward run over its feature's sentences, so it is only for small problems.
 * Sokolovska, Lavergne, Cappe and Yvon (2010), section 4.3.
 */
export const cd: TrainerComponent<DescentOptions> = {
  name: 'cd',
  summary: 'coordinate descent with L1 and L2, one weight at a time: for small problems',
  options: descentOptions,
  penalty: ({ l1, l2 }) => ({ l1, l2 }),
  oneThread: () => true,
  example: 'optimize: { cd: { l1: 1, l2: 0.01 } }',
  needs: onlyLoss('log'),
  logLinear: () => true,
  create: (chosen, context) =>
    new CoordinateDescent('cd', chosen, context.objective(chosen.l2), 'weight'),
};
