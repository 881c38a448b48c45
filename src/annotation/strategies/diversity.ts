import { tokenShares } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * Chooses the record with the highest mean entropy share over its tokens, each weighted by the
 * number of records in which its features are in doubt, and by how rarely they were answered. See
 * `FeatureWeights`. A doubt shared by neighbours counts once (`tokenShares`). Settles and Craven
 * (2008) weight records by their similarity to all others ("information density").
 */
export const diversity: Strategy = {
  name: 'diversity',
  summary:
    'its tokens are uncertain because of features that are also uncertain in other records and have few answers',
  order: 'score',
  doubts(model, sentences) {
    const doubts = sentences.flatMap(sentence => [...tokenShares(model, sentence)]);
    return { doubts, over: doubts.length };
  },
};
