import type { Loss } from '../loss.js';
import { boundedExponential } from '../residuals/bounded-exponential.js';
import { pointwiseLoss } from './pointwise-loss.js';

/**
 * The pointwise exponential loss, sum_t (1 / p(y*_t | x) - 1), of the marginals of the chain.
 *
 * Residuals: sum_t (1 / p_t) (E[F] - E[F | y_t = y*_t]); tokens with p_t below exp(-10): see
 * `boundedExponential`; partly labelled sentences: see `pointwiseLoss`. Not convex for more than one
 * token. Cost as of the pointwise log loss. Altun, Johnson and Hofmann (2003), section 3.3.
 */
export const pointwiseExponentialLoss: Loss = {
  name: 'pointwise-exponential',
  summary: 'sum over tokens of 1 / p(y_t | x) - 1, each label on its own',
  example: 'contribute: { loss: pointwise-exponential }',
  predicts: false,
  smooth: true,
  apply: (kernel, lattice, s, gold) => pointwiseLoss(kernel, lattice, s, gold, boundedExponential),
};
