import type { Range } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import { pushTrimmed } from './push-trimmed.js';
import type { Tokenizer } from './tokenizer.js';

const clitic = '(?:[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dDmM])';
const wordEnd = String.raw`(?![\p{L}\p{M}\p{N}])`;

/**
 * Web addresses, mail addresses, numbers, clitics (`n't`, `'s`, `'re`, ...), abbreviations with their
 * full stop, words with inner hyphens and apostrophes, emoji, dots and dashes in a row, single symbols.
 *
 * Earlier alternatives win. Each one reads a stretch of the text a bounded number of times, so that
 * the whole takes time proportional to the text, whatever the text is.
 */
export const defaultTokenPattern = [
  String.raw`https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'’]`,
  // Only at the start of a run of such characters, or a long run without `@` would be read once a token.
  String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  String.raw`\p{N}+(?:[.,:/-]\p{N}+)*(?:(?:st|nd|rd|th)${wordEnd})?`,
  String.raw`\p{L}[\p{L}\p{M}]*?(?=[nN]['’][tT]${wordEnd})`,
  `[nN]['’][tT]${wordEnd}`,
  `['’]${clitic}${wordEnd}`,
  String.raw`(?:\p{L}\.){2,}`,
  String.raw`(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc)\.(?=[\s,;:)])`,
  String.raw`No\.(?=\s*\p{N})`,
  // Joiners and soft hyphens are part of a word when a letter follows.
  String.raw`[\p{L}\p{M}_](?:[\p{L}\p{M}\p{N}_]|[-\u00ad\u200c\u200d](?=[\p{L}\p{N}])|['’](?=\p{L})(?!(?:${clitic}|[tT])${wordEnd}))*`,
  String.raw`\p{Regional_Indicator}{2}`,
  String.raw`\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*)*`,
  String.raw`\.{2,}|-{2,}`,
  String.raw`\S\p{M}*`,
].join('|');

/**
 * A tokenizer that takes each match of a pattern as a token, without white space at its ends; what
 * lies between the matches is left out.
 *
 * @param pattern source of a regular expression, used with the flags `g` and `u`
 * @throws TagstreamError `config` if the pattern is empty or not valid
 * @example
 * const text = "Don't go!";
 * regexTokenizer()(text).map(([start, end]) => text.slice(start, end)) // => ['Do', "n't", 'go', '!']
 */
export function regexTokenizer(pattern: string = defaultTokenPattern): Tokenizer {
  const expression = compile(pattern);
  return text => {
    const ranges: Range[] = [];
    for (const match of text.matchAll(expression)) {
      pushTrimmed(ranges, text, match.index, match.index + match[0].length);
    }
    return ranges;
  };
}

function compile(pattern: string): RegExp {
  if (pattern === '') {
    throw new TagstreamError('config', 'the token pattern is empty', {
      fix: String.raw`give the source of a regular expression, such as \p{L}+|\S`,
    });
  }
  try {
    return new RegExp(pattern, 'gu');
  } catch (cause) {
    throw new TagstreamError('config', `the token pattern is not valid: ${String(cause)}`, {
      fix: 'it is the source of a JavaScript regular expression, used with the flag u',
      cause,
    });
  }
}
