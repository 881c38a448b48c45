import { LocalDistributions } from './local-distributions.js';
import type { Scorer } from './without-weights.js';

/**
 * A maximum entropy Markov model: each label has a distribution given the previous label,
 *
 *     p(y_t = j | y_{t-1} = i, x) = exp(s_t(j) + e_t(i, j)) / N_t(i),   N_t(i) = sum over j,
 *
 * and p(y | x) is their product. N_t(i) depends on the previous label, so log N_{t+1}(i) is
 * subtracted from the score of label i at token t, and log N of the first token from all of its
 * labels. Then Z = 1, and every chain algorithm is exact for this distribution.
 *
 * A label with few successors passes its probability on to them regardless of the words (label bias). Constraints
 * condition the distribution on the allowed sequences. Cost O(T L^2) per sentence. McCallum, Freitag and Pereira
 * (2000).
 */
export const memmScorer: Scorer = {
  name: 'memm',
  summary: 'p(y_t | y_{t-1}, x), normalised at each token (maximum entropy Markov model)',
  example: 'model: { scorer: memm }',
  capabilities: [
    'marginals',
    'n-best',
    'constraints',
    'explain',
    'partial labels',
    'workers',
    'gradients',
    'rounding',
    'encodings',
  ],
  fill: lattice => LocalDistributions.of(lattice).fill(),
  spread: (lattice, s) => LocalDistributions.of(lattice).spread(s),
  surplus: (lattice, t, y) => LocalDistributions.of(lattice).surplus(t, y),
};
