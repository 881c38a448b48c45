import { tokenEntropies } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/** The record whose tokens have the highest mean entropy. Settles and Craven (2008), there token entropy. */
export const entropy: Strategy = {
  name: 'entropy',
  summary: 'the mean entropy of the labels of its tokens is high',
  order: 'score',
  score(model, sentences) {
    let tokens = 0;
    let sum = 0;
    for (const sentence of sentences) {
      for (const each of tokenEntropies(model, sentence)) sum += each;
      tokens += sentence.tokens.length;
    }
    return sum / tokens;
  },
};
