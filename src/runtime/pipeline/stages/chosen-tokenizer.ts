import { TagstreamError } from '../../../engine/core/errors.js';
import type { Model } from '../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import { namedTokenizer } from '../../../engine/text/tokenizers/named-tokenizer.js';
import type { Tokenizer } from '../../../engine/text/tokenizers/tokenizer.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';

/**
 * Resolves the options of the stage `tokenize`; returns the defaults without the stage.
 *
 * @param learned the tokenizer of the model, or of the named file, if any
 * @throws TagstreamError `config` if a learned tokenizer is requested, but there is none
 */
export function chosenTokenizer(
  chosen: TokenizeStageOptions | undefined,
  learned?: Tokenizer,
): TokenizeOptions {
  if (chosen === undefined) return {};
  const { sentences, locale, abbreviations } = chosen;
  return { tokenizer: namedTokenizer(chosen, learned), sentences, locale, abbreviations };
}

/**
 * Resolves the options for training: until a tokenizer has been learned, records without tokens are rejected.
 *
 * @param learned the tokenizer of another model
 */
export function trainingTokenizer(
  chosen: TokenizeStageOptions | undefined,
  learned: Tokenizer = notLearned,
): TokenizeOptions {
  return chosenTokenizer(chosen, learned);
}

/** Takes the place of a tokenizer that has not been learned yet, and throws. */
export function notLearned(): never {
  throw new TagstreamError('wrong-shape', 'the record has a text without tokens', {
    fix: 'the tokenizer is learned from the tokens of the records: give them, or name a built-in tokenizer',
  });
}

/**
 * Returns the tokenization for a model: as chosen, else that of its training data; the defaults if its pipeline did not
 * name any.
 */
export function modelTokenizer(model: Model, chosen?: TokenizeStageOptions): TokenizeOptions {
  return chosenTokenizer(
    chosen ?? (model.spec.tokenize as TokenizeStageOptions | undefined),
    model.tokenizer?.tokenizer,
  );
}
