import type { Range } from '../../core/sentence/document.js';
import { isWhiteSpace } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';
import { isApostrophe, isWordCharacter } from './treebank/character-classes.js';
import { keepsFullStop } from './treebank/keeps-full-stop.js';
import { pushWord } from './treebank/push-word.js';
import { addressEnd, addressStart } from './treebank/web-address.js';

/** Characters that are tokens wherever they stand; `'`, `.`, `,`, `:`, `-`, `$`, `&`, `#` depend on theirs. */
const alone = new Set(
  [...'()[]{}<>"“”„‟«»‹›;!?¿¡…%‰‱£€¥¢₤₩₹₽₺₿—―'].map(each => each.charCodeAt(0)),
);

/** `tis` and `twas`, which an apostrophe begins and which are two tokens: `'t is`. */
const shortened = /^['’](?:tis|twas)$/i;
const elided = /^['’](?:em|n|til|cause|bout|round|cuz|\d\ds?)$/i;
const clitic = /^['’](?:s|m|d|ll|re|ve)$/i;

/**
 * A tokenizer by the conventions of the Penn Treebank, for English: `do n't`, `can not`, `we 'll`, `gon na`;
 * punctuation, quotes, brackets, percent and currency signs apart; hyphens, decimal numbers, dates,
 * abbreviations with their full stop, web and mail addresses whole; `...` and `--` one token each.
 *
 * Tokens are what stands in the text: quotes are not rewritten to ```` `` ```` and `''`, nor brackets to `-LRB-`,
 * and an abbreviation that ends a sentence has the full stop alone, which the treebank writes twice. Takes
 * time in proportion to the text.
 *
 * @example
 * const text = 'They can\'t pay $3.5 (or 2%), says J. Smith Inc. of the U.S. market.';
 * treebankTokenizer()(text).map(([start, end]) => text.slice(start, end)).join(' ')
 * // => 'They ca n\'t pay $ 3.5 ( or 2 % ) , says J. Smith Inc. of the U.S. market .'
 */
export function treebankTokenizer(): Tokenizer {
  const tokenizer: Tokenizer = (text, most = Number.POSITIVE_INFINITY) => {
    const ranges: Range[] = [];
    for (let at = 0; at < text.length && ranges.length <= most; ) {
      if (isWhiteSpace(text.charCodeAt(at))) {
        at += 1;
        continue;
      }
      let end = at + 1;
      while (end < text.length && !isWhiteSpace(text.charCodeAt(end))) end += 1;
      readChunk(ranges, text, at, end, most);
      at = end;
    }
    return ranges;
  };
  return Object.assign(tokenizer, { words: { looksAhead: true } });
}

/** Tokens of `text[start, end)`, which has no white space. */
function readChunk(ranges: Range[], text: string, start: number, end: number, most: number): void {
  let at = start;
  while (at < end && ranges.length <= most) {
    const address = addressStart(text, at, end);
    readWords(ranges, text, at, address, end, most);
    if (address === end) return;
    at = addressEnd(text, address, end);
    ranges.push([address, at]);
  }
}

/** Tokens of `text[start, end)` within a chunk that extends to `chunkEnd`. */
function readWords(
  ranges: Range[],
  text: string,
  start: number,
  end: number,
  chunkEnd: number,
  most: number,
): void {
  let word = start;
  let at = start;
  /** Ends the word before `at`, and makes the next characters a token. */
  const cut = (length: number) => {
    if (word < at) pushWord(ranges, text, word, at);
    if (length > 0) ranges.push([at, at + length]);
    at += length;
    word = at;
  };
  while (at < end && ranges.length <= most) {
    const unit = text.charCodeAt(at);
    if (isWordCharacter(text, at)) {
      at += 1;
    } else if (alone.has(unit)) {
      cut(1);
    } else if (unit === 0x2e) {
      const run = runLength(text, at, end);
      if (run > 1) cut(run);
      else if (isInner(text, at, end)) at += 1;
      else if (keepsFullStop(text, word, at, chunkEnd)) {
        at += 1;
        cut(0);
      } else cut(1);
    } else if (unit === 0x2d) {
      const run = runLength(text, at, end);
      if (run > 1) cut(run);
      else at += 1;
    } else if (unit === 0x2c || unit === 0x3a || unit === 0x2013) {
      if (isDigit(text, at - 1, start, end) && isDigit(text, at + 1, start, end)) at += 1;
      else cut(1);
    } else if (unit === 0x24) {
      if (isForeignDollar(text, word, at, end)) {
        at += 1;
        cut(0);
      } else cut(1);
    } else if (unit === 0x26) {
      if (word < at && isInner(text, at, end)) at += 1;
      else cut(1);
    } else if (unit === 0x23 || unit === 0x40) {
      if (isInner(text, at, end) && (unit === 0x40 || !isDigit(text, at + 1, start, end))) at += 1;
      else cut(1);
    } else if (unit === 0x60 || isApostrophe(unit)) {
      readQuote(at, unit);
    } else {
      at += 1;
    }
  }
  cut(0);

  /** An apostrophe, a quote, or two of them. */
  function readQuote(place: number, unit: number): void {
    if (unit !== 0x2019 && text.charCodeAt(place + 1) === unit && place + 1 < end) {
      cut(2);
      return;
    }
    if (!isApostrophe(unit) || unit === 0x2018) {
      cut(1);
      return;
    }
    let last = place + 1;
    while (last < end && last - place < 6 && isWordCharacter(text, last)) last += 1;
    if (word < place) {
      // Inside a word, or at its end.
      if (last > place + 1) at += 1;
      else cut(1);
      return;
    }
    const piece = text.slice(place, last);
    const touches = place > start;
    if (shortened.test(piece)) {
      ranges.push([place, place + 2], [place + 2, last]);
      at = last;
      word = last;
    } else if ((touches && clitic.test(piece)) || elided.test(piece)) {
      cut(last - place);
    } else cut(1);
  }
}

/** Whether a letter or digit follows, also after a hyphen: `3.5`, `e.g`, `St.-Denis`. */
function isInner(text: string, at: number, end: number): boolean {
  if (at + 1 >= end) return false;
  const next = text.charCodeAt(at + 1) === 0x2d ? at + 2 : at + 1;
  return next < end && isWordCharacter(text, next);
}

function isDigit(text: string, at: number, start: number, end: number): boolean {
  const unit = at < start || at >= end ? 0 : text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

/** `US$` and `C$`, before a number or alone. */
function isForeignDollar(text: string, word: number, at: number, end: number): boolean {
  if (at - word < 1 || at - word > 3) return false;
  for (let i = word; i < at; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x41 || unit > 0x5a) return false;
  }
  return at + 1 === end || isDigit(text, at + 1, word, end);
}

function runLength(text: string, at: number, end: number): number {
  const unit = text.charCodeAt(at);
  let last = at + 1;
  while (last < end && text.charCodeAt(last) === unit) last += 1;
  return last - at;
}
