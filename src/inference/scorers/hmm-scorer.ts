import { ComponentMixtures } from './component-mixtures.js';
import type { Scorer } from './scorer.js';

/**
 * A hidden Markov model: the joint probability of labels and words,
 *
 *     p(x, y) = p(y_1) prod_{t>1} p(y_t | y_{t-1}) prod_t p(x_t | y_t),
 *
 * of tables that are counted, see the loss `joint` and the optimizer `counts`. Its logarithm is a sum of weights:
 * a transition is log p(y_t | y_{t-1}), and the weight of a word or class is the log-ratio of its entry to that of the
 * class it backs off to. The sums of weights are so the potentials, with Z = p(x), and all that runs over a chain is
 * exact for p(y | x) = p(x, y) / p(x). Where labels have components, p(x_t | y_t) is the mixture of theirs; see
 * `ComponentMixtures`. Rabiner (1989).
 */
export const hmmScorer: Scorer = {
  name: 'hmm',
  summary: 'p(x, y) from tables of counts: labels emit words (hidden Markov model)',
  example: 'model: { scorer: hmm }',
  capabilities: ['marginals', 'n-best', 'constraints', 'explain', 'partial labels'],
  fill: (lattice, store) => ComponentMixtures.of(lattice).fill(store),
  spread: (lattice, s) => ComponentMixtures.of(lattice).spread(s),
};
