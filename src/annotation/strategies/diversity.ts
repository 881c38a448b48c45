import { tokenEntropies } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * The record whose tokens have the highest mean entropy, each weighted by how much doubt there is in other records about
 * tokens of its kinds, and by how seldom these were asked a moment ago. See `KindWeights`. Settles and Craven (2008) weight
 * records by their similarity to all others, there information density.
 */
export const diversity: Strategy = {
  name: 'diversity',
  summary:
    'its tokens are uncertain, of kinds that others are of too and that were not asked a moment ago',
  order: 'score',
  doubts(model, sentences) {
    const doubts = sentences.flatMap(sentence => [...tokenEntropies(model, sentence)]);
    return { doubts, over: doubts.length };
  },
};
