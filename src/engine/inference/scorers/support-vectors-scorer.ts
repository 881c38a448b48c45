import { type Scorer, withoutWeights } from './without-weights.js';

/**
 * A max-margin chain that scores tokens with a kernel function k of their features:
 *
 *     s(x_t, y) = sum over support tokens z of w(z, y) k(x_t, z),
 *
 * so that feature conjunctions count without templates. Transitions have weights. The optimizer
 * `support-vectors` trains it. Cost of `fill` per token: see `SupportVectors`. Gupta, section 2.4;
 * Taskar, Guestrin and Koller (2003).
 */
export const supportVectorsScorer: Scorer = {
  name: 'support-vectors',
  summary: 'sums of a kernel function over support tokens, for max-margin training in the dual',
  example: 'model: { scorer: support-vectors }',
  capabilities: ['marginals', 'n-best', 'constraints', 'encodings'],
  needsNoWeights: true,
  madeBy: 'use the optimizer support-vectors, or the scorer linear',
  trainer: { 'support-vectors': {} },
  without: withoutWeights('support-vectors', {
    parts: 'support vectors',
    smaller: 'a smaller l2 or fewer records make the model smaller',
    continued: 'support vectors',
    instead: 'train on all records, or resume from the checkpoints of the run',
  }),
  fill: ({ batch, emissionScores, width }, { vectors }) =>
    vectors?.addTo(batch!, emissionScores, width),
};
