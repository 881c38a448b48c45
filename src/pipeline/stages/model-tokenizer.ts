import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import { chosenTokenizer } from './chosen-tokenizer.js';

/**
 * How texts are tokenized that a model tags: as is said, else as its training data was; the defaults if its pipeline did not
 * say.
 */
export function modelTokenizer(model: Model, chosen?: TokenizeStageOptions): TokenizeOptions {
  return chosenTokenizer(chosen ?? (model.spec.tokenize as TokenizeStageOptions | undefined));
}
