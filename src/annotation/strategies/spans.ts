import { tokenConfidences } from '../learning/uncertainty.js';
import { askedTokens, type Strategy } from './strategy.js';

/**
 * Only tokens that the model is not sure of are asked; the others stay open, and are summed out when the record is learned
 * from. The record is chosen whose asked tokens are the least sure on average. After Tomanek and Hahn (2009), who take
 * the confident labels of the model for gold instead.
 */
export const spans: Strategy = {
  name: 'spans',
  summary: 'only the tokens that the model is not sure of are asked',
  order: 'score',
  asksTokens: true,
  score(model, sentences) {
    let asked = 0;
    let doubt = 0;
    for (const sentence of sentences) {
      const confidences = tokenConfidences(model, sentence);
      for (const t of askedTokens(confidences)) {
        asked += 1;
        doubt += 1 - confidences[t]!;
      }
    }
    return asked === 0 ? 0 : doubt / asked;
  },
};
