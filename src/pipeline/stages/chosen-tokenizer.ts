import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { namedTokenizer } from '../../text/tokenizers/named-tokenizer.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';

/** What the options of the stage come to; the defaults where there is no such stage. */
export function chosenTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  if (chosen === undefined) return {};
  const { sentences, locale } = chosen;
  return { tokenizer: namedTokenizer(chosen), sentences, locale };
}

/**
 * How texts are tokenized that a model tags: as is said, else as its training data was; the defaults if its pipeline did not
 * say.
 */
export function modelTokenizer(model: Model, chosen?: TokenizeStageOptions): TokenizeOptions {
  return chosenTokenizer(chosen ?? (model.spec.tokenize as TokenizeStageOptions | undefined));
}
