import { addPath } from './add-path.js';
import { clearResiduals } from './clear-residuals.js';
import type { Loss } from './loss.js';

/**
 * The structured perceptron's loss, max_y score(y) - score(y*).
 *
 * Residuals: [yhat_t = y] - [y*_t = y] with the Viterbi labels yhat; all zero where they are right.
 * Cost O(T L^2) a sentence. Collins (2002).
 */
export const perceptronLoss: Loss = {
  name: 'perceptron',
  summary: 'score of the best labels less that of the gold ones, for the structured perceptron',
  example: 'contribute: { loss: perceptron }',
  predicts: true,
  apply(kernel, lattice, s, gold, predicted) {
    const best = kernel.viterbi(lattice, s, predicted);
    const goldScore = kernel.pathScore(lattice, s, gold);
    clearResiduals(lattice, s);
    addPath(lattice, s, predicted, 1);
    addPath(lattice, s, gold, -1);
    return best - goldScore;
  },
};
