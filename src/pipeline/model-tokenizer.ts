import type { Model } from '../models/model.js';
import type { TokenizeOptions } from '../operators/tokenize.js';
import { type TokenizeStageOptions, tokenizerOf } from './stages/tokenize.js';

/** How a model's training data was tokenized; the defaults if its pipeline did not say. */
export function modelTokenizer(model: Model): TokenizeOptions {
  const chosen = model.spec.tokenize as TokenizeStageOptions | undefined;
  if (chosen === undefined) return {};
  return {
    tokenizer: tokenizerOf(chosen),
    sentences: chosen.sentences,
    locale: chosen.locale,
  };
}
