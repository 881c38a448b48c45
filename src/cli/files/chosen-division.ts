import type { TokenizeOptions } from '../../operators/tokenize.js';
import { tokenizeOptions } from '../../pipeline/options/tokenize-options.js';
import { chosenTokenizer } from '../../pipeline/stages/chosen-tokenizer.js';
import type { TokenizerArguments } from '../options/tokenizer-option.js';

/**
 * How texts are divided by what is said on the command line; undefined where nothing is. Single characters are one sentence.
 *
 * @example
 * chosenDivision({}) // => undefined
 * chosenDivision({ tokenizer: 'characters' }).sentences // => false
 */
export function chosenDivision({
  tokenizer,
  locale,
}: TokenizerArguments): TokenizeOptions | undefined {
  if (tokenizer === undefined && locale === undefined) return undefined;
  const sentences = tokenizer !== 'characters';
  return chosenTokenizer(tokenizeOptions.parse({ tokenizer, locale, sentences }));
}
