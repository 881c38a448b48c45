import { forwardBackward } from '../../inference/forward-backward.js';
import type { Loss } from '../../losses/loss.js';

/**
 * Leaves the marginals themselves where losses leave residuals, as if nothing were labelled; the loss
 * says nothing. For the curvature of partially labelled sentences.
 */
export const freeMarginals: Loss = {
  name: 'log',
  summary: 'marginals without labels',
  example: '',
  predicts: false,
  smooth: true,
  apply(kernel, lattice, s) {
    forwardBackward(kernel, lattice, s);
    return 0;
  },
};
