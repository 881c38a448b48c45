import { sequenceProbabilities } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * The record whose two best sequences of tags are closest: `-(p_1^(1/T) - p_2^(1/T))`, the probabilities by token.
 * Scheffer, Decomain and Wrobel (2001); of several sentences the mean over their tokens.
 */
export const margin: Strategy = {
  name: 'margin',
  summary: 'the two best sequences of tags are about as probable, by token',
  order: 'score',
  score(model, sentences) {
    let tokens = 0;
    let sum = 0;
    for (const sentence of sentences) {
      const { length } = sentence.tokens;
      const [first = 0, second = 0] = sequenceProbabilities(model, sentence, 2);
      sum -= length * (first ** (1 / length) - second ** (1 / length));
      tokens += length;
    }
    return sum / tokens;
  },
};
