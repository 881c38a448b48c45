import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { addPath } from '../../losses/residuals/add-path.js';

/** The log loss, with the marginals themselves in place of residuals; for fully labelled sentences. */
export const expectedLoss: Loss = {
  ...logLoss,
  apply(kernel, lattice, s, gold, predicted) {
    const loss = logLoss.apply(kernel, lattice, s, gold, predicted);
    addPath(lattice, s, gold, 1);
    return loss;
  },
};
