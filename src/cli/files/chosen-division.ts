import { TagstreamError } from '../../core/errors.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { tokenizeOptions } from '../../pipeline/options/tokenize-options.js';
import { chosenTokenizer } from '../../pipeline/stages/chosen-tokenizer.js';
import { localeProblem } from '../../text/sentences/locale-problem.js';
import type { TokenizerArguments } from '../options/tokenizer-option.js';

/**
 * How texts are divided by what is said on the command line; undefined where nothing is. Single characters are one sentence.
 *
 * @throws TagstreamError `usage` for a locale that is none
 * @example
 * chosenDivision({}) // => undefined
 * chosenDivision({ tokenizer: 'characters' }).sentences // => false
 */
export function chosenDivision({
  tokenizer,
  locale,
}: TokenizerArguments): TokenizeOptions | undefined {
  if (tokenizer === undefined && locale === undefined) return undefined;
  const problem = locale === undefined ? undefined : localeProblem(locale);
  if (problem !== undefined) throw new TagstreamError('usage', `--locale: ${problem}`);
  const sentences = tokenizer !== 'characters';
  return chosenTokenizer(tokenizeOptions.parse({ tokenizer, locale, sentences }));
}
