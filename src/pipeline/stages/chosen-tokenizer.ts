import type { TokenizeOptions } from '../../operators/tokenize.js';
import { namedTokenizer } from '../../text/tokenizers/named-tokenizer.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';

/** What the options of the stage come to; the defaults where there is no such stage. */
export function chosenTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  if (chosen === undefined) return {};
  const { sentences, locale } = chosen;
  return { tokenizer: namedTokenizer(chosen), sentences, locale };
}
