import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Range } from '../../core/sentence/document.js';
import { NativePattern, type TextPattern, textPattern } from '../patterns/text-pattern.js';
import { languageOf } from '../sentences/segmenter.js';
import { pushTrimmed } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';

const clitic = '(?:[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dDmM])';
const wordEnd = String.raw`(?![\p{L}\p{M}\p{N}])`;

/**
 * Words that end in an apostrophe before a vowel, by language: `l'homme`, `dell'acqua`. In Italian
 * this applies to any short word; names such as `D'Alema` are one token.
 */
const elisions: Readonly<Record<string, string>> = {
  fr: '(?:[cdjlmnstCDJLMNST]|(?:[qQ]|[jJ]usq|[lL]orsq|[pP]uisq|[qQ]uoiq)[uU])',
  ca: '[dlmnstDLMNST]',
  it: String.raw`(?!D['’]\p{Lu})\p{L}{1,12}`,
};

/**
 * Pattern of a token: web addresses, mail addresses, keycaps, hashtags, numbers, clitics (`n't`,
 * `'s`, `'re`, ...), abbreviations with their full stop, words with inner hyphens and apostrophes,
 * emoji, dots and dashes in a row, single symbols.
 *
 * Earlier alternatives win. Each alternative reads a range of the text a bounded number of times,
 * so the pattern takes linear time for any text.
 */
export const defaultTokenPattern = [
  String.raw`(?:https?:\/\/|(?<![\p{L}\p{N}])[wW]{3}\.)[^\s<>"]*[^\s<>".,;:!?)\]}'’]`,
  // Matches only at the start of a run of such characters; otherwise a long run without `@` would
  // be read once per token.
  String.raw`(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  // Keycaps.
  String.raw`[0-9#*]\ufe0f?\u20e3`,
  String.raw`(?<![\p{L}\p{M}\p{N}_&#])#(?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]+`,
  String.raw`\p{N}+(?:[.,:/-]\p{N}+)*(?:(?:st|nd|rd|th)${wordEnd})?`,
  String.raw`\p{L}[\p{L}\p{M}]*?(?=[nN]['’][tT]${wordEnd})`,
  `[nN]['’][tT]${wordEnd}`,
  `['’]${clitic}${wordEnd}`,
  String.raw`(?:\p{L}\.){2,}`,
  String.raw`(?<![\p{L}\p{M}\p{N}])(?:Ph|Ed|Psy|Pharm|Litt|Sc)\.D\.`,
  String.raw`(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc)\.(?=[\s,;:)])`,
  String.raw`No\.(?=\s*\p{N})`,
  // Joiners and soft hyphens are part of a word if a letter follows.
  String.raw`[\p{L}\p{M}_](?:[\p{L}\p{M}\p{N}_]|[-\u00ad\u200c\u200d](?=[\p{L}\p{N}])|['’](?=\p{L})(?!(?:${clitic}|[tT])${wordEnd}))*`,
  String.raw`\p{Regional_Indicator}{2}`,
  // Flags of country subdivisions.
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}`,
  String.raw`\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*)*`,
  String.raw`\.{2,}|-{2,}`,
  String.raw`\S\p{M}*`,
].join('|');

/**
 * Returns a tokenizer that makes each match of a pattern a token, without white space at its ends; the text between
 * matches is omitted.
 *
 * Takes linear time for every pattern, without backtracking.
 *
 * @param options.pattern source of a regular expression, used with the flags `g` and `u`; by default one for words,
 *   numbers, clitics and punctuation
 * @param options.locale a BCP 47 language tag, `en` if absent: the default pattern ends a token after the apostrophe of
 *   `l'homme` in French and Catalan, of `dell'acqua` in Italian
 * @throws TagstreamError `config` if the pattern is empty or not valid, or cannot be matched
 *   without backtracking: by a backreference after or in a part without a bound, or by more than
 *   2000 states; the tokenizer itself throws `too-large` at words of millions of characters
 * @example
 * const text = "Don't go!";
 * regexTokenizer()(text).map(([start, end]) => text.slice(start, end)) // => ['Do', "n't", 'go', '!']
 */
export function regexTokenizer(
  options: { readonly pattern?: string | undefined; readonly locale?: string | undefined } = {},
): Tokenizer {
  requireKnown('regexTokenizer', options, ['pattern', 'locale']);
  const { pattern, locale } = options;
  if (pattern !== undefined) requireArgument('regexTokenizer: the pattern', pattern, kinds.text);
  const isOwn = pattern !== undefined && pattern !== defaultTokenPattern;
  const { all, ascii } = isOwn ? { all: compile(pattern) } : tokensOf(languageOf(locale));
  const tokenizer: Tokenizer = (text, most = Number.POSITIVE_INFINITY) => {
    requireArgument('the tokenizer', text, kinds.text);
    const ranges: Range[] = [];
    try {
      const expression = ascii !== undefined && asciiOnly.test(text) ? ascii : all;
      expression.visit(text, (start, end) => {
        pushTrimmed(ranges, text, start, end);
        return ranges.length <= most;
      });
    } catch (cause) {
      throw cause instanceof RangeError ? tooLong(ranges.at(-1)?.[1] ?? 0, cause) : cause;
    }
    return ranges;
  };
  // User patterns may look at any text.
  return isOwn ? tokenizer : Object.assign(tokenizer, { words: { looksAhead: true } });
}

/** A pattern for any text, and the same for ASCII text, which the engine compiles in a tenth of the time. */
interface TokenPatterns {
  readonly all: TextPattern;
  readonly ascii?: TextPattern;
}

const asciiOnly = /^[\0-\x7f]*$/;

/** ASCII characters of the properties in the patterns, as in a character class; all other properties have none. */
const asciiOf: Readonly<Record<string, string>> = { L: 'A-Za-z', Lu: 'A-Z', N: '0-9' };

/** Returns a pattern without properties that matches the same parts of ASCII text. */
function asciiPattern(pattern: string): string {
  let isInClass = false;
  return pattern.replace(/\\p\{(\w+)\}|\\[^p]|[[\]]/g, (part: string, property?: string) => {
    if (part === '[' || part === ']') isInClass = part === '[';
    if (property === undefined) return part;
    const characters = asciiOf[property] ?? '';
    return isInClass ? characters : `[${characters}]`;
  });
}

/** Uses the JavaScript engine, because these patterns hardly backtrack. */
function nativePatterns(pattern: string): TokenPatterns {
  return { all: new NativePattern(pattern), ascii: new NativePattern(asciiPattern(pattern)) };
}

const defaultTokens = nativePatterns(defaultTokenPattern);
const tokensByLanguage = new Map<string, TokenPatterns>();

/** Returns the token pattern of a language; the default one if it has none. */
function tokensOf(language: string): TokenPatterns {
  const elided = elisions[language];
  if (elided === undefined) return defaultTokens;
  const known = tokensByLanguage.get(language);
  if (known !== undefined) return known;
  const elision = String.raw`(?<![\p{L}\p{M}\p{N}'’])${elided}['’](?=\p{L})`;
  const made = nativePatterns(`${elision}|${defaultTokenPattern}`);
  tokensByLanguage.set(language, made);
  return made;
}

/**
 * Returns the error for a token that is too long: the engine stores a backtracking position per
 * character, and runs out of memory after some millions.
 */
function tooLong(at: number, cause: RangeError): TagstreamError {
  const problem = `the token pattern finds no end of the word at character ${at}`;
  return new TagstreamError('too-large', problem, {
    fix: 'split words of millions of characters, or use another tokenizer, such as whitespace',
    cause,
  });
}

function compile(pattern: string): TextPattern {
  if (pattern === '') {
    throw new TagstreamError('config', 'the token pattern is empty', {
      fix: String.raw`give the source of a regular expression, such as \p{L}+|\S`,
    });
  }
  try {
    return textPattern(pattern);
  } catch (cause) {
    if (cause instanceof TagstreamError) throw cause;
    throw new TagstreamError('config', `the token pattern is not valid: ${String(cause)}`, {
      fix: 'write the source of a JavaScript regular expression with the flag u',
      cause,
    });
  }
}
