import type { Loss } from './loss.js';
import { isPartial } from './partial/allowed.js';
import { partialLogLoss } from './partial/partial-log-loss.js';
import { addPath, clearResiduals } from './residuals/residuals.js';

/**
 * The log loss of a locally normalised model, -sum_t log p(y*_t | y*_{t-1}, x).
 *
 * Its potentials have Z = 1, so the loss is minus the score of the labels, and its residuals at the linear scores are
 * p(j | y*_{t-1}, x_t) - [j = y*_t] for label j at token t and the transition from y*_{t-1}; all others are zero. Not
 * negative; convex. Cost O(T L) per sentence plus the normalisation, without forward-backward. Partially labelled
 * sentences: see `partialLogLoss`. McCallum, Freitag and Pereira (2000).
 */
export const localLogLoss: Loss = {
  name: 'local-log',
  summary: '-sum of log p(y_t | y_{t-1}, x) over tokens, the loss of maximum entropy Markov models',
  example: 'contribute: { loss: local-log }',
  predicts: false,
  smooth: true,
  scorers: ['memm'],
  apply(kernel, lattice, s, gold) {
    if (isPartial(lattice.batch!, s)) return partialLogLoss(kernel, lattice, s);
    clearResiduals(lattice, s);
    addPath(lattice, s, gold, -1);
    return -kernel.pathScore(lattice, s, gold);
  },
};
