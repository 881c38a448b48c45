import { logLoss } from './log-loss.js';
import type { Loss } from './loss.js';
import { boundedExponential } from './residuals/bounded-exponential.js';
import { scaleResiduals } from './residuals/scale-residuals.js';

/**
 * The sequential exponential loss, sum_{y != y*} exp(score(y) - score(y*)) = 1 / p(y* | x) - 1.
 *
 * Residuals: those of the log loss times 1 / p(y* | x); of a partially labelled sentence, p is that
 * of what its labels allow. Convex. The weight is kept as the log loss until the end, and sentences with
 * p below exp(-10) have a smaller one: see `boundedExponential`. Cost O(T L^2) per sentence. Altun, Johnson
 * and Hofmann (2003), section 3.3.
 */
export const exponentialLoss: Loss = {
  name: 'exponential',
  summary: '1 / p(y | x) - 1, which weights sentences by their error',
  example: 'contribute: { loss: exponential }',
  predicts: false,
  smooth: true,
  apply(kernel, lattice, s, gold, predicted) {
    const l = logLoss.apply(kernel, lattice, s, gold, predicted);
    scaleResiduals(lattice, s, boundedExponential.weight(l));
    return boundedExponential.loss(l);
  },
};
