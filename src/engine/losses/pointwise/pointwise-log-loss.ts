import type { Loss } from '../loss.js';
import { type PointwiseScale, pointwiseLoss } from './pointwise-loss.js';

const scale: PointwiseScale = { loss: l => l, weight: () => 1 };

/**
 * The pointwise log loss, -sum_t log p(y*_t | x), of the chain's marginals.
 *
 * Residuals: sum_t (E[F] - E[F | y_t = y*_t]); partially labelled sentences: see `pointwiseLoss`. Not
 * negative, and not convex for more than one token. Cost O(T L^2) per sentence, about twice that of the
 * log loss. Altun, Johnson and Hofmann (2003), section 3.3.
 */
export const pointwiseLogLoss: Loss = {
  name: 'pointwise-log',
  summary: 'sum over tokens of -log p(y_t | x), each label on its own',
  example: 'contribute: { loss: pointwise-log }',
  predicts: false,
  smooth: true,
  apply: (kernel, lattice, s, gold) => pointwiseLoss(kernel, lattice, s, gold, scale),
};
