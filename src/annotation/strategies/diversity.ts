import { tokenEntropies } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * The record whose tokens have the highest mean entropy, each weighted by in how many records its word is in doubt, and by
 * how seldom it was answered. See `WordWeights`. Settles and Craven (2008) weight records by their similarity to all
 * others, there information density.
 */
export const diversity: Strategy = {
  name: 'diversity',
  summary:
    'its tokens are uncertain, in words that are so in other records too and were seldom answered',
  order: 'score',
  doubts(model, sentences) {
    const doubts = sentences.flatMap(sentence => [...tokenEntropies(model, sentence)]);
    return { doubts, over: doubts.length };
  },
};
