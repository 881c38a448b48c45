import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import { chosenTokenizer } from './chosen-tokenizer.js';

/** How a model's training data was tokenized; the defaults if its pipeline did not say. */
export function modelTokenizer(model: Model): TokenizeOptions {
  return chosenTokenizer(model.spec.tokenize as TokenizeStageOptions | undefined);
}
