import { tokenEntropies } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/** Tokens that are added to the length of a record: what it takes to begin one, so that the shortest are not the best. */
const overhead = 5;

/**
 * The record whose tokens have the highest entropy, where a word that was asked a moment ago counts for less:
 * `sum over t of H_t / (1 + 0.3 n_t) / (T + 5)`, with n_t the times that its word was asked since the record was scored, and stands earlier in it. See `QueryPool`.
 */
export const diversity: Strategy = {
  name: 'diversity',
  summary: 'the entropy of its tokens is high, other words than those asked a moment ago',
  order: 'score',
  doubts(model, sentences) {
    const doubts = sentences.flatMap(sentence => [...tokenEntropies(model, sentence)]);
    return { doubts, over: doubts.length + overhead };
  },
};
