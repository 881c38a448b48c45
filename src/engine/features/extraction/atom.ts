import { TagstreamError } from '../../core/errors.js';
import type { Column } from '../../core/sentence/document.js';
import type { KnownWords } from '../context/lexicon.js';
import type { ContentTable } from '../fingerprints/content-table.js';
import type { Fingerprint, TextRecorder } from '../fingerprints/fingerprint.js';
import type { TokenLookup } from '../resources/token-lookup.js';
import { isOfContext, type Macro, numberText } from '../template/template.js';

/** Prefix of the names of context columns; no column name in a template contains it. */
export const contextMark = '\n';

/** Maximum number of distinct tokens whose pattern results are cached. */
const memoryLimit = 65536;

/**
 * A macro applied to a column, hashed once per token, however many templates refer to it at any
 * offset.
 */
export class Atom {
  readonly column: string;
  readonly macro: Macro;
  /** Number at each token, for `%v` and `%vv`. */
  values = new Float64Array(0);
  readonly #remembered = new Map<string, string | undefined>();

  readonly #words: KnownWords;
  readonly #makeLookup: (() => TokenLookup) | undefined;
  #lookup: TokenLookup | undefined;
  #named: { readonly column: Column; readonly texts: readonly (string | undefined)[] } | undefined;

  /**
   * @param words known words, for `%seen`
   * @param lookup creates the list lookup of macros that have one; called once
   */
  constructor(macro: Macro, column: string, words: KnownWords, lookup?: () => TokenLookup) {
    this.macro = macro;
    this.column = column;
    this.#words = words;
    this.#makeLookup = lookup;
  }

  /** Name of the context column that the atom reads instead of a column of the sentence. */
  get context(): string | undefined {
    const { apply, resource } = this.macro;
    return apply === 'seen' ? 'seen' : isOfContext(this.macro) ? resource : undefined;
  }

  /**
   * Source of the texts, for caches per source: a column, or a context column prefixed with a line
   * break.
   */
  get source(): string {
    return isOfContext(this.macro) ? `${contextMark}${this.macro.resource!}` : this.column;
  }

  /** Hashes a column of `length` tokens into a table, from index `start` on. */
  fill(
    column: Column,
    length: number,
    hash: Fingerprint,
    table: ContentTable,
    start: number,
  ): void {
    const { apply } = this.macro;
    if (apply === 'real' || apply === 'square') {
      this.#fillReal(column, length, apply === 'square');
      return;
    }
    if (this.#makeLookup !== undefined) {
      this.#lookup ??= this.#makeLookup();
      this.#lookup.fill(column, length, hash, table, start);
      return;
    }
    const { lo, hi } = table;
    for (let t = 0; t < length; t += 1) {
      const item = column[t]!;
      const present = this.#hashItem(typeof item === 'string' ? item : String(item), hash);
      lo[start + t] = present ? hash.lo : 0;
      hi[start + t] = present ? hash.hi : 0;
    }
  }

  /**
   * Whether the value at a token depends only on this token's text, including what was seen of the
   * text in training.
   */
  get isOfText(): boolean {
    const { apply } = this.macro;
    if (apply === 'seen') return this.#words.lexicon !== undefined;
    if (apply === 'cluster') return true;
    const isOfToken = apply !== 'real' && apply !== 'square' && this.context === undefined;
    return this.#makeLookup === undefined && isOfToken;
  }

  /** Hashes the value for a token's text; returns false if there is none. Requires `isOfText`. */
  hash(token: string, hash: Fingerprint): boolean {
    if (this.#makeLookup !== undefined) {
      this.#lookup ??= this.#makeLookup();
      return this.#lookup.hash!(token, hash);
    }
    const { lexicon } = this.#words;
    const isClassed = this.macro.apply === 'seen' && lexicon !== undefined;
    return this.#hashItem(isClassed ? lexicon.classOf(token) : token, hash);
  }

  #hashItem(item: string, hash: Fingerprint): boolean {
    hash.start();
    const present = this.#feed(item, hash);
    hash.finish();
    return present;
  }

  /**
   * Returns the macro's value at token `t` as text; undefined if there is none. Slow, for feature
   * names only.
   */
  textOf(column: Column, t: number, recorder: TextRecorder): string | undefined {
    if (this.#makeLookup !== undefined) return this.#textsOf(column)[t];
    recorder.start();
    return this.#feed(String(column[t]!), recorder) ? recorder.recorded : undefined;
  }

  /**
   * Returns the list results for all tokens of a sentence at once; undefined for macros that read
   * tokens one by one.
   */
  #textsOf(column: Column): readonly (string | undefined)[] {
    this.#lookup ??= this.#makeLookup!();
    if (this.#named?.column !== column) {
      this.#named = { column, texts: this.#lookup.texts(column) };
    }
    return this.#named.texts;
  }

  /**
   * Feeds the macro's value for a token; returns false if there is none, such as a prefix of 4
   * characters of "the".
   */
  #feed(token: string, hash: Fingerprint): boolean {
    const { apply, count, fold } = this.macro;
    switch (apply) {
      case 'document':
      case 'predicted':
      case 'seen':
        hash.text(token);
        return true;
      case 'value':
        hash.text(fold ? lowered(token) : token);
        return true;
      case 'lower':
        hash.text(lowered(token));
        return true;
      case 'shape':
        feedShape(token, hash);
        return true;
      case 'prefix': {
        const text = fold ? lowered(token) : token;
        const end = boundary(text, count);
        if (end > 0) hash.text(text, 0, end);
        return end > 0;
      }
      case 'suffix': {
        const text = fold ? lowered(token) : token;
        const start = boundary(text, -count);
        if (start >= 0) hash.text(text, start);
        return start >= 0;
      }
      case 'char': {
        const point = characterAt(token, count);
        if (point >= 0) hash.text(String.fromCodePoint(point));
        return point >= 0;
      }
      case 'first':
      case 'last':
        // These patterns look before or after a token, where there may be no other token.
        return false;
      default: {
        const text = this.#recall(token);
        if (text !== undefined) hash.text(text);
        return text !== undefined;
      }
    }
  }

  /** Caches results that need strings or regular expressions, by token and in bounded memory. */
  #recall(token: string): string | undefined {
    const known = this.#remembered.get(token);
    if (known !== undefined || this.#remembered.has(token)) return known;
    const result = this.#compute(token);
    if (this.#remembered.size >= memoryLimit) this.#remembered.clear();
    this.#remembered.set(token, result);
    return result;
  }

  #compute(token: string): string | undefined {
    const { apply, fold, pattern, custom } = this.macro;
    if (custom !== undefined) return custom.find(token);
    const text = fold ? lowered(token) : token;
    if (apply === 'type') return tokenType(token);
    if (apply === 'length') return String([...token].length);
    if (apply === 'test') return String(pattern!.test(text));
    return pattern!.match(text) ?? '';
  }

  #fillReal(column: Column, length: number, squared: boolean): void {
    if (this.values.length < length) this.values = new Float64Array(2 * length);
    for (let t = 0; t < length; t += 1) {
      const item = column[t]!;
      const value =
        typeof item === 'number' ? item : item.trim() === '' ? Number.NaN : Number(item);
      const taken = squared ? value * value : value;
      if (!Number.isFinite(taken)) {
        const what = Number.isFinite(value) ? 'too large to square' : 'not a finite number';
        throw new TagstreamError(
          'not-a-number',
          `column ${this.column} has "${item}" at token ${t}, which is ${what}`,
          { fix: `give a number, or use %x instead of ${numberText(this.macro)}` },
        );
      }
      this.values[t] = taken;
    }
  }
}

function lowered(token: string): string {
  return token.toLowerCase();
}

/**
 * Feeds runs of capitals, letters and digits as one `X`, `x` or `d`, and other characters
 * unchanged.
 */
function feedShape(token: string, hash: Fingerprint): void {
  let before = -1;
  for (let i = 0; i < token.length; i += 1) {
    const point = token.codePointAt(i)!;
    if (point > 0xffff) i += 1;
    const kind = characterClass(point);
    if (kind !== before) hash.word(kind);
    before = kind;
  }
}

/**
 * Returns the index where the first (count > 0) code points end or the last (count < 0) start; -1
 * if there are too few.
 */
function boundary(token: string, count: number): number {
  if (count > 0) {
    let at = 0;
    for (let i = 0; i < count; i += 1) {
      if (at >= token.length) return -1;
      at += token.codePointAt(at)! > 0xffff ? 2 : 1;
    }
    return at;
  }
  let at = token.length;
  for (let i = 0; i < -count; i += 1) {
    if (at <= 0) return -1;
    const low = token.charCodeAt(at - 1);
    const paired = low >= 0xdc00 && low <= 0xdfff && at >= 2;
    at -= paired && isHighSurrogate(token.charCodeAt(at - 2)) ? 2 : 1;
  }
  return at;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Returns the code point at a position from the start (>= 0) or the end (< 0); -1 if there is none. */
function characterAt(token: string, place: number): number {
  const start = place === 0 ? 0 : boundary(token, place);
  if (start < 0 || start >= token.length) return -1;
  return token.codePointAt(start)!;
}

const upper = /^\p{Lu}$/u;
const letter = /^\p{L}$/u;
const digit = /^\p{N}$/u;

/**
 * Returns the class of a character: `X` for a capital, `x` for another letter, `d` for a digit,
 * otherwise the code point itself.
 */
export function characterClass(point: number): number {
  if (point < 0x80) {
    if (point >= 0x61 && point <= 0x7a) return 0x78;
    if (point >= 0x41 && point <= 0x5a) return 0x58;
    if (point >= 0x30 && point <= 0x39) return 0x64;
    return point;
  }
  const character = String.fromCodePoint(point);
  if (upper.test(character)) return 0x58;
  if (letter.test(character)) return 0x78;
  return digit.test(character) ? 0x64 : point;
}

/**
 * Classifies a token by its appearance: `number`, `caps`, `initial`, `mixed`, `lower`, `alnum` (letters
 * and digits), `hyphen` (letters and hyphens), `abbreviation` (letters and full stops) or `symbol`.
 *
 * @example
 * ['3.5', 'USA', 'Anna', 'iPod', 'cat', 'B2B', 'co-op', 'a.m.', '?'].map(tokenType)
 * // => ['number', 'caps', 'initial', 'mixed', 'lower', 'alnum', 'hyphen', 'abbreviation', 'symbol']
 */
export function tokenType(token: string): string {
  let capitals = 0;
  let letters = 0;
  let digits = 0;
  let hyphens = 0;
  let stops = 0;
  let length = 0;
  for (const character of token) {
    const kind = characterClass(character.codePointAt(0)!);
    length += 1;
    if (kind === 0x58) capitals += 1;
    if (kind === 0x58 || kind === 0x78) letters += 1;
    if (kind === 0x64) digits += 1;
    if (kind === 0x2d) hyphens += 1;
    if (kind === 0x2e) stops += 1;
  }
  if (digits > 0) return letters > 0 ? 'alnum' : 'number';
  if (letters === 0) return 'symbol';
  if (hyphens > 0 && letters + hyphens === length) return 'hyphen';
  if (stops > 0 && letters + stops === length) return 'abbreviation';
  if (capitals === 0) return 'lower';
  if (capitals === letters) return letters === 1 ? 'initial' : 'caps';
  const first = characterClass(token.codePointAt(0)!);
  return capitals === 1 && first === 0x58 ? 'initial' : 'mixed';
}
