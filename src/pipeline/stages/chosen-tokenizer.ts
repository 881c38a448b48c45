import { TagstreamError } from '../../core/errors.js';
import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { namedTokenizer } from '../../text/tokenizers/named-tokenizer.js';
import type { Tokenizer } from '../../text/tokenizers/tokenizer.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';

/**
 * Resolves the options of the stage; the defaults if there is no such stage.
 *
 * @param learned the tokenizer of the model, or of the named file, if any
 * @throws TagstreamError `config` for a learned tokenizer if there is none
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
 * Resolves the options in training: while a tokenizer is still to be learned, records without tokens
 * are rejected.
 *
 * @param learned that of another model
 */
export function trainingTokenizer(
  chosen: TokenizeStageOptions | undefined,
  learned: Tokenizer = notLearned,
): TokenizeOptions {
  return chosenTokenizer(chosen, learned);
}

/** Stands for a tokenizer that is still to be learned. */
export function notLearned(): never {
  throw new TagstreamError('wrong-shape', 'the record has a text without tokens', {
    fix: 'the tokenizer is learned from the tokens of the records: give them, or name a built-in tokenizer',
  });
}

/**
 * Returns how texts are tokenized for a model: as chosen, else like its training data; the defaults if its pipeline did not
 * say.
 */
export function modelTokenizer(model: Model, chosen?: TokenizeStageOptions): TokenizeOptions {
  return chosenTokenizer(
    chosen ?? (model.spec.tokenize as TokenizeStageOptions | undefined),
    model.tokenizer?.tokenizer,
  );
}
