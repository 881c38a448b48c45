import type { Range } from '../../core/sentence/document.js';
import { endsInAbbreviation } from '../sentences/abbreviations.js';
import { isWhiteSpace } from '../white-space.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * Characters that are always tokens; `'`, `.`, `,`, `:`, `-`, `$`, `&`, `#` depend on their
 * context.
 */
const alone = new Set(
  [...'()[]{}<>"“”„‟«»‹›;!?¿¡…%‰‱£€¥¢₤₩₹₽₺₿—―'].map(each => each.charCodeAt(0)),
);

/** `'tis` and `'twas`, which begin with an apostrophe and are two tokens: `'t is`. */
const shortened = /^['’](?:tis|twas)$/i;
const elided = /^['’](?:em|n|til|cause|bout|round|cuz|\d\ds?)$/i;
const clitic = /^['’](?:s|m|d|ll|re|ve)$/i;

/**
 * Returns a tokenizer that follows the conventions of the Penn Treebank, for English: `do n't`,
 * `can not`, `we 'll`, `gon na`; separates punctuation, quotes, brackets, percent and currency
 * signs; keeps hyphenated words, decimal numbers, dates, abbreviations with their full stop, and
 * web and mail addresses whole; `...` and `--` are one token each.
 *
 * Tokens are ranges of the text: quotes are not rewritten to ```` `` ```` and `''`, nor brackets to
 * `-LRB-`, and an abbreviation that ends a sentence gets the only full stop, which the treebank
 * writes twice. Takes linear time.
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

/** Adds the tokens of `text[start, end)`, which has no white space. */
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

/** Adds the tokens of `text[start, end)` within a chunk that extends to `chunkEnd`. */
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
  /** Ends the current word before `at`, and makes the next characters a token. */
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

  /** Reads an apostrophe, a quote, or two of them. */
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
      // The mark is inside a word or at its end.
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

/**
 * Returns whether a letter or digit follows, possibly after a hyphen: `3.5`, `e.g`, `St.-Denis`.
 */
function isInner(text: string, at: number, end: number): boolean {
  if (at + 1 >= end) return false;
  const next = text.charCodeAt(at + 1) === 0x2d ? at + 2 : at + 1;
  return next < end && isWordCharacter(text, next);
}

function isDigit(text: string, at: number, start: number, end: number): boolean {
  const unit = at < start || at >= end ? 0 : text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

/** Returns whether a dollar sign belongs to `US$` or `C$`, before a number or alone. */
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

/** Abbreviations, in lower case, that keep their full stop in any context. */
const listed = new Set(
  `inc corp co ltd llc bros jr sr esq etc al mr mrs ms mx dr drs prof rev hon gen col maj capt cmdr lt sgt cpl
  sen rep gov pres supt st mt ft ave blvd rd sq assn dept univ intl natl govt mfg
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
  ala ariz ark calif colo conn del fla ga ill ind kan ky la mass md mich minn miss mo mont neb nev okla ore
  pa penn tenn tex va vt wash wis wyo vs approx est`.split(/\s+/),
);

/** Words that are abbreviations only if capitalised: `Sat.`, not `sat.` */
const capitalOnly = new Set(
  `ill mar sat sun wed fri mon jan col gen rev hon rep gov lt capt
  ala ark del ga ill ind kan ky la mass md miss mo pa tex va vt wash fla ore st mt co`.split(/\s+/),
);

const letters = /^[\p{L}\p{M}]+$/u;
const dotted = /^\p{L}{1,3}(?:\.\p{L}{1,3})+$/u;

/** Maximum length of an abbreviation. */
const longest = 16;

/**
 * Returns whether the full stop at `stop` belongs to the word that begins at `word`, an
 * abbreviation or initials. If a chunk ends with the full stop, the next word may decide.
 *
 * @param chunkEnd position of the white space after the chunk, or of the text's end
 * @example
 * keepsFullStop('Acme Inc. rose', 5, 8, 9) // => true
 * keepsFullStop('So did I. Then', 7, 8, 9) // => false
 */
export function keepsFullStop(text: string, word: number, stop: number, chunkEnd: number): boolean {
  if (stop - word < 1 || stop - word > longest) return false;
  const written = text.slice(word, stop);
  if (dotted.test(written)) return true;
  if (!letters.test(written)) return false;
  const lower = written.toLowerCase();
  if (listed.has(lower) && (lower !== written || !capitalOnly.has(lower))) return true;
  return endsInAbbreviation(text, stop + 1, nextWord(text, stop + 1, chunkEnd));
}

/** Returns the letters and digits after white space; empty if the chunk continues. */
function nextWord(text: string, from: number, chunkEnd: number): string {
  if (from !== chunkEnd) return '';
  let start = from;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start += 1;
  let end = start;
  while (end < text.length && end - start < longest && !isWhiteSpace(text.charCodeAt(end)))
    end += 1;
  return /^[\p{L}\p{M}\p{N}]*/u.exec(text.slice(start, end))![0];
}

/** Words that are two tokens, and the index at which the second begins. */
const joined: ReadonlyMap<string, number> = new Map([
  ['cannot', 3],
  ['gonna', 3],
  ['gotta', 3],
  ['wanna', 3],
  ['gimme', 3],
  ['lemme', 3],
  ["d'ye", 2],
  ["more'n", 4],
]);

/**
 * Appends the tokens of the word `[start, end)` to `ranges`: `do` and `n't`, `can` and `not`, `we`
 * and `'d` and `'ve`.
 *
 * @example
 * const ranges = [];
 * pushWord(ranges, "couldn't've", 0, 11);
 * ranges // => [[0, 5], [5, 8], [8, 11]]
 */
export function pushWord(ranges: Range[], text: string, start: number, end: number): void {
  const cuts: number[] = [];
  let last = end;
  for (
    let cut = cliticStart(text, start, last);
    cut > start;
    cut = cliticStart(text, start, last)
  ) {
    cuts.push(cut);
    last = cut;
  }
  const length = last - start;
  if (length >= 4 && length <= 6) {
    const second = joined.get(text.slice(start, last).toLowerCase().replace('’', "'"));
    if (second !== undefined) cuts.push(start + second);
  }
  let from = start;
  for (let i = cuts.length - 1; i >= 0; i -= 1) {
    ranges.push([from, cuts[i]!]);
    from = cuts[i]!;
  }
  ranges.push([from, end]);
}

/**
 * Returns the start of a word's final clitic, or the start of the word if there is no clitic or
 * nothing before it.
 */
function cliticStart(text: string, start: number, end: number): number {
  const unit = (back: number) => (end - back > start ? text.charCodeAt(end - back) : 0);
  const letter = (back: number) => String.fromCharCode(unit(back) | 0x20);
  if (isApostrophe(unit(2))) {
    if ('smd'.includes(letter(1))) return end - 2;
    if (letter(1) === 't' && letter(3) === 'n') return end - 3;
  } else if (isApostrophe(unit(3)) && ['ll', 're', 've'].includes(letter(2) + letter(1))) {
    return end - 3;
  }
  return start;
}

const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

/** Returns whether there is a letter, mark or digit at a position; half of a surrogate pair counts as one. */
export function isWordCharacter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) {
    return (
      (unit >= 0x61 && unit <= 0x7a) ||
      (unit >= 0x41 && unit <= 0x5a) ||
      (unit >= 0x30 && unit <= 0x39)
    );
  }
  return (unit >= 0xd800 && unit <= 0xdfff) || wordCharacter.test(text[at]!);
}

/** Returns whether a unit is `'` or one of its curved forms. */
export function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x2019 || unit === 0x2018;
}

const scheme = /(?:https?|ftp):\/\/|www\./iy;
const closers = new Set([...`.,;:!?'"’”)]}>…`].map(each => each.charCodeAt(0)));
const letter = /[\p{L}\p{N}]/u;

/**
 * Returns the start of the first web or mail address in `text[start, end)`, or `end`. A chunk is
 * searched once per address in it.
 *
 * @example
 * addressStart('(http://a.org)', 0, 14) // => 1
 * addressStart('<me@a.org>', 0, 10) // => 1
 * addressStart('a@b', 0, 3) // => 3
 */
export function addressStart(text: string, start: number, end: number): number {
  let mail = start;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x40) {
      if (mail < at && mailEnd(text, at, end) > 0) return mail;
      mail = at + 1;
    } else if (!isMailCharacter(unit) || (mail === at && !isAlphanumeric(unit))) {
      mail = at + 1;
    }
    const isFirst = at === start || !letter.test(text[at - 1]!);
    if (isFirst && (unit | 0x20) >= 0x66 && (unit | 0x20) <= 0x77) {
      scheme.lastIndex = at;
      const found = scheme.exec(text);
      if (found !== null && at + found[0].length < end) return at;
    }
  }
  return end;
}

/** Returns the end of the address that begins at `start`. */
export function addressEnd(text: string, start: number, end: number): number {
  scheme.lastIndex = start;
  if (!scheme.test(text)) return mailEnd(text, text.indexOf('@', start), end);
  let last = start;
  let open = 0;
  while (last < end && !'<>"'.includes(text[last]!)) {
    if (text[last] === '(') open += 1;
    if (text[last] === ')') open -= 1;
    last += 1;
  }
  while (last > start + 1 && closers.has(text.charCodeAt(last - 1))) {
    // A bracket that was opened within the address belongs to it.
    if (text[last - 1] === ')') {
      if (open >= 0) break;
      open += 1;
    }
    last -= 1;
  }
  return last;
}

/** Returns the end of the mail address whose `@` is at a position; 0 if there is none. */
function mailEnd(text: string, at: number, end: number): number {
  let last = at + 1;
  let dot = -1;
  while (last < end && isHostCharacter(text.charCodeAt(last))) {
    if (text[last] === '.') dot = last;
    last += 1;
  }
  while (last > at + 1 && (text[last - 1] === '.' || text[last - 1] === '-')) last -= 1;
  if (dot >= last) for (dot = last - 1; dot > at && text[dot] !== '.'; ) dot -= 1;
  return dot > at + 1 && dot < last ? last : 0;
}

function isHostCharacter(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 0x2d || unit === 0x2e;
}

function isMailCharacter(unit: number): boolean {
  return isHostCharacter(unit) || unit === 0x5f || unit === 0x2b;
}

function isAlphanumeric(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39)
  );
}
