import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { addPath } from '../../losses/residuals/add-path.js';
import { clearResiduals } from '../../losses/residuals/clear-residuals.js';

/** No loss at all, and the gold labels themselves in place of residuals. */
export const observedLoss: Loss = {
  ...logLoss,
  apply(_kernel, lattice, s, gold) {
    clearResiduals(lattice, s);
    addPath(lattice, s, gold, 1);
    return 0;
  },
};
