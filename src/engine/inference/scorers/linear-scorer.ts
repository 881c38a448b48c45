import type { Scorer } from './without-weights.js';

/**
 * The scores themselves, as in a conditional random field: p(y | x) = exp(score(y)) / Z(x), normalised over all
 * label sequences. Lafferty, McCallum and Pereira (2001).
 */
export const linearScorer: Scorer = {
  name: 'linear',
  summary: 'sums of weights, normalised over whole sequences (CRF, perceptron)',
  example: 'model: { scorer: linear }',
  capabilities: [
    'marginals',
    'n-best',
    'constraints',
    'explain',
    'partial labels',
    'workers',
    'gradients',
    'log-linear',
    'structures',
    'mean',
    'rounding',
    'encodings',
  ],
};
