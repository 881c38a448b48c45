import { type ErrorPlace, TagstreamError } from '../../core/errors.js';
import type { BundledTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import { LearnedTokenizer } from './learned-tokenizer.js';

/**
 * Returns the learned tokenizer of a model.
 *
 * @param what names the model in the error
 * @throws TagstreamError `config` where it has none
 */
export function requireLearned(
  tokenizer: BundledTokenizer | undefined,
  what: string,
): LearnedTokenizer {
  if (tokenizer instanceof LearnedTokenizer) return tokenizer;
  throw withoutTokenizer(what);
}

export function withoutTokenizer(what: string, place: ErrorPlace = {}): TagstreamError {
  return new TagstreamError('config', `${what} has no learned tokenizer`, {
    place,
    fix: 'name one trained with tokenize: { tokenizer: learned }, as init --text and train do',
  });
}
