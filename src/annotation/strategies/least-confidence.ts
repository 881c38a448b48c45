import { sequenceProbabilities } from '../learning/uncertainty.js';
import type { Strategy } from './strategy.js';

/**
 * The record whose best tags have the lowest probability: `- log p(y* | x) / T`, so that length alone does not count.
 * Culotta and McCallum (2005).
 */
export const leastConfidence: Strategy = {
  name: 'least-confidence',
  summary: 'the best tags are improbable, by token',
  order: 'score',
  score(model, sentences) {
    let tokens = 0;
    let log = 0;
    for (const sentence of sentences) {
      const [best = 0] = sequenceProbabilities(model, sentence, 1);
      log -= Math.log(Math.max(best, Number.MIN_VALUE));
      tokens += sentence.tokens.length;
    }
    return log / tokens;
  },
};
