import type { Range } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * Web addresses, mail addresses, numbers, clitics (`n't`, `'s`, `'re`, ...), abbreviations with their
 * full stop, words with inner hyphens and apostrophes, dots and dashes in a row, single symbols.
 */
export const defaultTokenPattern = [
  String.raw`https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'’]`,
  String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  String.raw`\p{N}+(?:[.,:/-]\p{N}+)*`,
  String.raw`\p{L}[\p{L}\p{M}]*?(?=n['’]t(?![\p{L}\p{N}]))`,
  String.raw`n['’]t(?![\p{L}\p{N}])`,
  String.raw`['’](?:s|re|ve|ll|d|m)(?![\p{L}\p{N}])`,
  String.raw`(?:\p{L}\.){2,}`,
  String.raw`(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No)\.(?=\s)`,
  String.raw`[\p{L}\p{M}_](?:[\p{L}\p{M}\p{N}_]|[-](?=[\p{L}\p{N}])|['’](?=\p{L})(?!(?:s|re|ve|ll|d|m|t)(?![\p{L}\p{N}])))*`,
  String.raw`\.{2,}|-{2,}`,
  String.raw`[^\s]`,
].join('|');

/**
 * A tokenizer that takes each match of a pattern as a token.
 *
 * @param pattern source of a regular expression, used with the flags `g` and `u`
 * @throws TagstreamError `config` if the pattern is not valid or can match nothing at all
 * @example
 * const text = "Don't go!";
 * regexTokenizer()(text).map(([start, end]) => text.slice(start, end)) // => ['Do', "n't", 'go', '!']
 */
export function regexTokenizer(pattern: string = defaultTokenPattern): Tokenizer {
  const expression = compile(pattern);
  return text => {
    const ranges: Range[] = [];
    for (const match of text.matchAll(expression)) {
      if (match[0].length > 0) ranges.push([match.index, match.index + match[0].length]);
    }
    return ranges;
  };
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'gu');
  } catch (cause) {
    throw new TagstreamError('config', `the token pattern is not valid: ${String(cause)}`, {
      fix: 'it is the source of a JavaScript regular expression, used with the flag u',
      cause,
    });
  }
}
