import { forwardBackward } from '../inference/forward-backward.js';
import type { Loss } from './loss.js';
import { isPartial } from './partial/allowed.js';
import { partialLogLoss } from './partial/partial-log-loss.js';
import { addPath } from './residuals/residuals.js';

/**
 * The sequential log loss, -log p(y* | x) = log Z - score(y*).
 *
 * Residuals: p(y_t = y | x) - [y*_t = y], and likewise for the edges. Not negative; convex. Partially
 * labelled sentences: see `partialLogLoss`. Cost O(T L^2) per sentence. Altun, Johnson and Hofmann (2003),
 * section 3.
 */
export const logLoss: Loss = {
  name: 'log',
  summary: '-log p(y | x), the loss of conditional random fields',
  example: 'contribute: { loss: log }',
  predicts: false,
  smooth: true,
  anyStructure: true,
  untrained: Math.log,
  apply(kernel, lattice, s, gold) {
    if (isPartial(lattice.batch!, s)) return partialLogLoss(kernel, lattice, s);
    const goldScore = kernel.pathScore(lattice, s, gold);
    const logZ = forwardBackward(kernel, lattice, s);
    addPath(lattice, s, gold, -1);
    return logZ - goldScore;
  },
};
