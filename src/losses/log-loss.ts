import { forwardBackward } from '../inference/forward-backward.js';
import { addPath } from './add-path.js';
import type { Loss } from './loss.js';

/**
 * The sequential log loss, -log p(y* | x) = log Z - score(y*).
 *
 * Residuals: p(y_t = y | x) - [y*_t = y], and likewise for the edges. Not negative; convex.
 * Cost O(T L^2) a sentence. Altun, Johnson and Hofmann (2003), section 3.
 */
export const logLoss: Loss = {
  name: 'log',
  summary: '-log p(y | x), the loss of conditional random fields',
  example: 'contribute: { loss: log }',
  predicts: false,
  apply(kernel, lattice, s, gold) {
    const goldScore = kernel.pathScore(lattice, s, gold);
    const logZ = forwardBackward(kernel, lattice, s);
    addPath(lattice, s, gold, -1);
    return logZ - goldScore;
  },
};
