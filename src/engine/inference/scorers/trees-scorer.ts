import { type Scorer, withoutWeights } from './without-weights.js';

/**
 * A conditional random field whose potentials are sums of regression trees over the features of a token, and the previous label
 * if the trees split on it too:
 *
 *     psi_t(y', y) = exp(s_t(y) + sum over trees h_m(y', x, t, y)),
 *
 * where h_m is the value for y in the leaf that token t reaches after y'. A path from root to leaf
 * is a conjunction of features, so templates need no conjunctions. Transitions have weights, and
 * s_t(y) is a sum of weights if training began with an online optimizer, 0 otherwise. The optimizer
 * `trees` grows them. Cost of `fill` per token: see `Forest`. Dietterich, Ashenfelter and Bulatov
 * (2004); Gupta, section 2.5.
 */
export const treesScorer: Scorer = {
  name: 'trees',
  summary: 'sums of regression trees over features, normalised over whole sequences (TreeCRF)',
  example: 'model: { scorer: trees }',
  capabilities: ['marginals', 'n-best', 'constraints', 'explain', 'partial labels', 'gradients'],
  needsNoWeights: true,
  madeBy: 'use the optimizer trees, alone or after another one with switch, or the scorer linear',
  trainer: { trees: {} },
  without: withoutWeights('trees', {
    parts: 'leaves',
    smaller: 'fewer epochs or leaves make the model smaller',
    continued: 'trees',
    instead: 'begin with an online optimizer, by the optimizer switch',
  }),
  fill(lattice, { forest }) {
    if (forest === undefined) return;
    const { batch, emissionScores, width } = lattice;
    forest.addTo(batch!, emissionScores, width);
    if (!forest.seesPrevious) return;
    lattice.openSlots();
    const { edgeScores, edgeSlots: slots, matrixSize } = lattice;
    forest.addPairs(batch!, edgeScores, { slots, width, matrixSize });
  },
};
