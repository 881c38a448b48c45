import { tokenShares } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * The record whose tokens have the highest mean share of the entropy of its labels, each weighted by in how many records
 * its features are in doubt, and by how seldom they were answered. See `FeatureWeights`. What a label shows of its neighbours
 * is one doubt, and counts once (`tokenShares`). Settles and Craven (2008) weight records by their similarity to all
 * others, there information density.
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
