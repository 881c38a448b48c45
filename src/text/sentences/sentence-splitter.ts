import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Range } from '../../core/sentence/document.js';
import { endsInAbbreviation } from './abbreviations.js';
import { segmentEnds, segmenter } from './segmenter.js';

/** One line break stands for a space; the offsets stay the same. */
const lineBreak = /[\n\r\u0085\u2028]/g;
const emptyLine = /(?:\r\n|\n|\r(?!\n))[^\S\n\r]*[\n\r]|\u2029/;
const closingQuote = /["'”’»)\]]$/u;
const lowerCase = /^\p{Ll}/u;
const wordBegins = /^[\p{L}\p{N}]/u;

/** What ends in a full stop that begins a word, as that of `.NET`. */
const beginsWord = /(?:^|[\s(["'“‘«])\.$/u;

/** What ends inside of an address, as `example.org/?` before `Q=x`. */
const addressBegins = /(?:\/\/|[wW]{3}\.|[A-Za-z]\/)[!-~]*$/;

/** UTF-16 units before a gap that are looked at. */
const looksBack = 25;

/**
 * Divides the tokens of a text into sentences: ranges `[start, end)` of tokens that are in order, leave
 * no token out and are not empty.
 *
 * Boundaries are those of Unicode (UAX #29), less those after an abbreviation or an initial, those
 * between a closing quotation mark and a lower-case word, and those inside a token. An empty line
 * always ends a sentence; a single line break is a space. Costs one pass over the text; nothing given
 * is changed.
 *
 * @param tokens ranges of UTF-16 units of `text`, in order, without overlap
 * @param options.locale a BCP 47 language tag; `en` if absent
 * @throws TagstreamError `config` if the locale is not a valid language tag
 * @example
 * const text = 'Dr. Low left. We stayed.';
 * splitSentences(text, [[0, 3], [4, 7], [8, 12], [12, 13], [14, 16], [17, 23], [23, 24]]) // => [[0, 4], [4, 7]]
 */
export function splitSentences(
  text: string,
  tokens: readonly Range[],
  options: { readonly locale?: string } = {},
): Range[] {
  requireArgument('splitSentences: the text', text, kinds.text);
  requireArgument('splitSentences: the tokens', tokens, kinds.list);
  requireKnown('splitSentences', options, ['locale']);
  if (tokens.length === 0) return [];
  return sentencesWithin(text, tokens, unicodeSentenceEnds(text, options.locale));
}

/** Where the sentences of a text end by the rules of Unicode, in UTF-16 units. */
export function unicodeSentenceEnds(text: string, locale?: string): number[] {
  return segmentEnds(text.replace(lineBreak, ' '), segmenter('sentence', locale));
}

/**
 * Sentences of tokens, one at least, as `splitSentences` has them.
 *
 * @param ends those of Unicode
 */
export function sentencesWithin(
  text: string,
  tokens: readonly Range[],
  ends: readonly number[],
): Range[] {
  const sentences: Range[] = [];
  let next = 0;
  let first = 0;
  for (let t = 1; t < tokens.length; t += 1) {
    const before = tokens[t - 1][1];
    const after = tokens[t][0];
    while (ends[next] < before) next += 1;
    if (
      (ends[next] <= after && !goesOn(text, before, after, tokens[t][1])) ||
      hasEmptyLine(text, before, after)
    ) {
      sentences.push([first, t]);
      first = t;
    }
  }
  sentences.push([first, tokens.length]);
  return sentences;
}

function hasEmptyLine(text: string, before: number, after: number): boolean {
  // Most gaps are nothing or one space, and need no look at the pattern.
  const plain = after === before || (after - before === 1 && text[before] === ' ');
  return !plain && emptyLine.test(text.slice(before, after));
}

/**
 * Whether a sentence continues over the gap `[before, after)` that Unicode's rules break it at, before a token that ends
 * at `end`. Of what comes before the gap the last 25 units are looked at.
 *
 * @example
 * goesOn('I saw Dr. Jones', 9, 10, 15) // => true
 */
export function goesOn(text: string, before: number, after: number, end: number): boolean {
  const next = text.slice(after, end);
  return (
    endsInAbbreviation(text, before, next) ||
    (closingQuote.test(text[before - 1]) && lowerCase.test(next)) ||
    (before === after &&
      wordBegins.test(next) &&
      isInside(text.slice(Math.max(0, before - looksBack), before)))
  );
}

/** Whether a text ends inside of a word or an address, where letters or digits follow. */
function isInside(text: string): boolean {
  return beginsWord.test(text) || addressBegins.test(text);
}
