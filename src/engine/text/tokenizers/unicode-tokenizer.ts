import { requireKnown } from '../../core/schema/require-argument.js';
import type { Range } from '../../core/sentence/document.js';
import { segmentEnds, segmenter } from '../sentences/segmenter.js';
import { isWhiteSpace, pushTrimmed } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';

const space = 32;
const tilde = 126;

/**
 * Returns a tokenizer that follows the Unicode word boundaries (UAX #29), with a dictionary for languages without
 * spaces between words. Keeps punctuation, omits white space.
 *
 * ASCII words between spaces are found by a built-in implementation of the rules, in a tenth of the
 * time; the engine's segmenter finds all others.
 *
 * @param options.locale a BCP 47 language tag; `en` if absent
 * @throws TagstreamError `config` if the locale is not a valid language tag
 * @example
 * unicodeTokenizer()("Don't go!") // => [[0, 5], [6, 8], [8, 9]]
 */
export function unicodeTokenizer(options: { readonly locale?: string } = {}): Tokenizer {
  requireKnown('unicodeTokenizer', options, ['locale']);
  const words = segmenter('word', options.locale);
  const isAsciiEnglish = followsTheRules(words);
  const tokenizer: Tokenizer = (text, most = Number.POSITIVE_INFINITY) => {
    const ranges: Range[] = [];
    const { length } = text;
    let at = 0;
    while (at < length && ranges.length <= most) {
      const asciiEnd = isAsciiEnglish ? endOfAscii(text, at) : at;
      while (at < asciiEnd && ranges.length <= most) {
        if (isWhiteSpace(text.charCodeAt(at))) {
          at += 1;
          continue;
        }
        const end = asciiWordEnd(text, at, asciiEnd);
        ranges.push([at, end]);
        at = end;
      }
      if (at < asciiEnd || at === length) break;
      const otherEnd = isAsciiEnglish ? endOfOther(text, at) : length;
      pushSegments(ranges, text, at, otherEnd, words, most);
      at = otherEnd;
    }
    return ranges;
  };
  return Object.assign(tokenizer, { words: { ascii: true } });
}

function pushSegments(
  ranges: Range[],
  text: string,
  from: number,
  to: number,
  words: Intl.Segmenter,
  most: number,
): void {
  let start = from;
  for (const end of segmentEnds(text.slice(from, to), words)) {
    // Of a space with a combining mark, which is one segment, only the mark is a token.
    pushTrimmed(ranges, text, start, from + end);
    start = from + end;
    if (ranges.length > most) break;
  }
}

/**
 * Returns the end of the run of ASCII words from `from` on, which must be the start of the text or
 * follow a space. The run ends after a space, or at the end of the text.
 */
function endOfAscii(text: string, from: number): number {
  let end = from;
  for (let i = from; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > tilde) return end;
    // The next character may be a mark, which belongs to the space.
    if (unit === space && isWord(text.charCodeAt(i + 1))) end = i + 1;
  }
  return text.length;
}

/**
 * Returns the end of the run of non-ASCII words: before an ASCII word that follows a space, or at
 * the end of the text.
 */
function endOfOther(text: string, from: number): number {
  for (let i = from; ; ) {
    const next = text.indexOf(' ', i) + 1;
    if (next === 0 || next >= text.length) return text.length;
    i = next;
    if (!isWord(text.charCodeAt(next))) continue;
    const wordEnd = text.indexOf(' ', next);
    if (isAscii(text, next, wordEnd < 0 ? text.length : wordEnd + 2)) return next;
  }
}

/** Returns whether a unit is a visible ASCII character. */
function isWord(unit: number): boolean {
  return unit > space && unit <= tilde;
}

function isAscii(text: string, from: number, to: number): boolean {
  for (let i = from; i < Math.min(to, text.length); i += 1) {
    if (text.charCodeAt(i) > tilde) return false;
  }
  return true;
}

const known = new WeakMap<Intl.Segmenter, boolean>();

/**
 * Returns whether a segmenter splits ASCII text by the Unicode rules, as some languages have custom
 * rules.
 */
function followsTheRules(words: Intl.Segmenter): boolean {
  let follows = known.get(words);
  if (follows === undefined) {
    const parts = ['a', '1', '_', ':', ',', ';', '.', "'", '"', '-'];
    const all = parts.flatMap(b => ['a', '1'].flatMap(a => ['a', '1', '.'].map(c => a + b + c)));
    follows = all.every(text => {
      const ends = segmentEnds(text, words);
      let at = 0;
      return ends.every(end => {
        at = asciiWordEnd(text, at, text.length);
        return at === end;
      });
    });
    known.set(words, follows);
  }
  return follows;
}

/**
 * Classes of ASCII characters for the Unicode word boundaries; all other characters are tokens of
 * their own.
 */
const letter = 1;
const digit = 2;
const connector = 4;
/** Classes of characters between letters, between digits, or between either. */
const midLetter = 8;
const midNumber = 16;

const classes = new Uint8Array(128);
for (let c = 0; c < 128; c += 1) {
  const character = String.fromCharCode(c);
  if (/[A-Za-z]/.test(character)) classes[c] = letter;
  else if (/\d/.test(character)) classes[c] = digit;
  else if (character === '_') classes[c] = connector;
  else if (character === ':') classes[c] = midLetter;
  else if (/[,;]/.test(character)) classes[c] = midNumber;
  else if (/[.']/.test(character)) classes[c] = midLetter | midNumber;
}

/**
 * Returns the end of the word that begins at `start`, by the ASCII part of the Unicode word
 * boundary rules (UAX #29, WB5 to WB13b). Outside words, each character is a segment.
 *
 * @param text text whose part `[start, end)` is ASCII, surrounded by white space or the ends of the
 * text
 * @example
 * asciiWordEnd("can't_1.", 0, 8) // => 7
 */
export function asciiWordEnd(text: string, start: number, end: number): number {
  const word = letter | digit | connector;
  let before = classes[text.charCodeAt(start)]!;
  let at = start + 1;
  if ((before & word) === 0) return at;
  for (; at < end; at += 1) {
    const here = classes[text.charCodeAt(at)]!;
    if ((here & word) !== 0) {
      before = here;
      continue;
    }
    if (at + 1 === end) return at;
    const after = classes[text.charCodeAt(at + 1)]!;
    const joins =
      ((here & midLetter) !== 0 && before === letter && after === letter) ||
      ((here & midNumber) !== 0 && before === digit && after === digit);
    if (!joins) return at;
  }
  return at;
}
