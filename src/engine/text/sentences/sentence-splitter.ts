import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Range } from '../../core/sentence/document.js';
import {
  type Abbreviations,
  abbreviationsOf,
  endsInAbbreviation,
  hasAbbreviations,
} from './abbreviations.js';
import { languageOf, segmentEnds, segmenter } from './segmenter.js';

/** Single line breaks, which are replaced with spaces; offsets remain the same. */
const lineBreak = /[\n\r\u0085\u2028]/g;
const emptyLine = /(?:\r\n|\n|\r(?!\n))[^\S\n\r]*[\n\r]|\u2029/;
const closingQuote = /["'”’»)\]]$/u;
/** In languages other than English, `“` closes what `„` opens, and `«` what `»` opens. */
const anyQuote = /["'”’»“‘«)\]]$/u;
/** A mark that closes a quotation or a bracket and begins no word; `"` alone is ambiguous. */
const closes = /^[»”’)\]](?=$|[\s»”’)\]])/u;
const beginsSentence = /^[\p{Lu}\p{Lt}\p{Lo}\p{N}"“‘„«»¿¡([—–-]/u;
const notSpace = /\S/;
const lowerCase = /^\p{Ll}/u;
const wordBegins = /^[\p{L}\p{N}]/u;

/** A full stop that begins a word, as in `.NET`. */
const beginsWord = /(?:^|[\s(["'“‘«])\.$/u;

/** End of a text inside an address, such as `example.org/?` before `Q=x`. */
const addressBegins = /(?:\/\/|[wW]{3}\.|[A-Za-z]\/)[!-~]{0,25}$/;

/** Number of UTF-16 units before a gap that are examined. */
const looksBack = 25;

/** Cases in which sentences continue although the Unicode rules end them. */
export interface SentenceRules {
  readonly abbreviations: Abbreviations;
  /** A quote after which a lower-case word continues the sentence. */
  readonly quote: RegExp;
  /** Whether closing marks after white space, and `?Q=x`, belong to the previous sentence. */
  readonly keepsMarks: boolean;
}

/**
 * The rules behind the features of tokenizers in model files, which were trained with them and
 * require them unchanged.
 */
export const featureRules: SentenceRules = {
  ...{ abbreviations: abbreviationsOf('en'), quote: closingQuote, keepsMarks: false },
};

/** Options for splitting texts into sentences. */
export interface SentenceOptions {
  /** BCP 47 language tag; `en` if absent. */
  readonly locale?: string | undefined;
  /**
   * Additional abbreviations, with or without their last full stop: `z. B.`; `Art #NUMERIC_ONLY#`
   * before numbers.
   */
  readonly abbreviations?: readonly string[] | undefined;
}

/**
 * Returns the rules of a language.
 *
 * @throws TagstreamError `config` if the locale is not a valid language tag, or an abbreviation is invalid
 */
export function sentenceRules({ locale, abbreviations }: SentenceOptions = {}): SentenceRules {
  const language = languageOf(locale);
  return {
    abbreviations: abbreviationsOf(language, abbreviations),
    quote: hasAbbreviations(language) ? anyQuote : closingQuote,
    keepsMarks: true,
  };
}

/**
 * Divides the tokens of a text into sentences: non-empty token ranges `[start, end)` that are in
 * order and include every token.
 *
 * Boundaries are those of Unicode (UAX #29), except after an abbreviation, an initial or an ordinal
 * (`3. Oktober`) of the language, between a closing quotation mark and a lower-case word, before a
 * closing mark, as in `« Non. »`, and inside a token or an address. An empty line always ends a
 * sentence; a single line break is a space. Costs one pass over the text; inputs are not modified.
 *
 * @param tokens ranges of UTF-16 units of `text`, in order, without overlap
 * @param options.locale a BCP 47 language tag; `en` if absent, whose abbreviations also serve languages without a list
 * @param options.abbreviations additional abbreviations
 * @throws TagstreamError `config` if the locale is not a valid language tag, or an abbreviation is invalid
 * @example
 * const text = 'Dr. Low left. We stayed.';
 * splitSentences(text, [[0, 3], [4, 7], [8, 12], [12, 13], [14, 16], [17, 23], [23, 24]]) // => [[0, 4], [4, 7]]
 */
export function splitSentences(
  text: string,
  tokens: readonly Range[],
  options: SentenceOptions = {},
): Range[] {
  requireArgument('splitSentences: the text', text, kinds.text);
  requireArgument('splitSentences: the tokens', tokens, kinds.list);
  requireKnown('splitSentences', options, ['locale', 'abbreviations']);
  if (tokens.length === 0) return [];
  const ends = unicodeSentenceEnds(text, options.locale);
  return sentencesWithin(text, tokens, ends, sentenceRules(options));
}

/** Returns the ends of a text's sentences by the Unicode rules, in UTF-16 units. */
export function unicodeSentenceEnds(text: string, locale?: string): number[] {
  return segmentEnds(text.replace(lineBreak, ' '), segmenter('sentence', locale));
}

/**
 * Groups one or more tokens into sentences, as `splitSentences` does.
 *
 * @param ends sentence ends by the Unicode rules
 */
export function sentencesWithin(
  text: string,
  tokens: readonly Range[],
  ends: readonly number[],
  rules: SentenceRules,
): Range[] {
  const sentences: Range[] = [];
  let next = 0;
  let first = 0;
  /** Whether the sentence ends after the current closing marks. */
  let isClosing = false;
  for (let t = 1; t < tokens.length; t += 1) {
    const before = tokens[t - 1][1];
    const after = tokens[t][0];
    while (ends[next] < before) next += 1;
    const hasEnd = isClosing || ends[next] <= after;
    if (
      hasEnd &&
      closesSentence(text, tokens[t], before, rules) &&
      !hasEmptyLine(text, before, after)
    ) {
      isClosing = true;
      continue;
    }
    const isEnd = isClosing
      ? beginsSentence.test(text.slice(after, tokens[t][1]))
      : hasEnd && !goesOn(text, before, after, tokens[t][1], rules);
    isClosing = false;
    if (isEnd || hasEmptyLine(text, before, after)) {
      sentences.push([first, t]);
      first = t;
    }
  }
  sentences.push([first, tokens.length]);
  return sentences;
}

function hasEmptyLine(text: string, before: number, after: number): boolean {
  // Most gaps are empty or a single space, and need no pattern matching.
  const plain = after === before || (after - before === 1 && text[before] === ' ');
  return !plain && emptyLine.test(text.slice(before, after));
}

/**
 * Returns whether a sentence continues after the gap `[before, after)`, where the Unicode rules end
 * it, before a token that ends at `end`. Examines the last 25 units before the gap, and one after
 * the token.
 *
 * @example
 * goesOn('I saw Dr. Jones', 9, 10, 15, sentenceRules()) // => true
 */
export function goesOn(
  text: string,
  before: number,
  after: number,
  end: number,
  { abbreviations, quote, keepsMarks }: SentenceRules,
): boolean {
  const next = text.slice(after, end);
  return (
    endsInAbbreviation(text, before, next, abbreviations) ||
    (quote.test(text[before - 1]) && lowerCase.test(next)) ||
    (before === after &&
      wordBegins.test(next) &&
      (isInside(text.slice(Math.max(0, before - looksBack), before)) ||
        (keepsMarks && text[end] === '=' && notSpace.test(text[end + 1] ?? ''))))
  );
}

/**
 * Returns whether the token after white space at which the Unicode rules end a sentence closes a
 * quotation or a bracket, so that the sentence ends after that token. Examines two units after the
 * token.
 */
export function closesSentence(
  text: string,
  [start, end]: Range,
  before: number,
  { keepsMarks }: SentenceRules,
): boolean {
  return keepsMarks && before < start && closes.test(text.slice(start, end + 2));
}

/** Returns whether letters or digits after a text would continue a word or an address. */
function isInside(text: string): boolean {
  return beginsWord.test(text) || addressBegins.test(text);
}
