import { TagstreamError } from '../../core/errors.js';
import { parsePattern } from './parse-pattern.js';
import { type Condition, type PatternProgram, patternProgram } from './pattern-program.js';
import { Alphabet, StateSets } from './state-sets.js';

/** Maximum number of conditions of a pattern: one bit each. */
const most = 16;

/** Finds the conditions of a pattern that are true at each position of a text. */
class ConditionBits {
  readonly #conditions: readonly Condition[];
  /** Buffer that is reused for each short text. */
  readonly #short = new Uint16Array(256);
  readonly #looks: readonly (StateSets | undefined)[];

  /** @throws TagstreamError `config` for too many conditions, or a condition that is too large */
  constructor(conditions: readonly Condition[], alphabet: Alphabet) {
    if (conditions.length > most) {
      throw new TagstreamError('config', `a pattern with ${conditions.length} conditions`, {
        fix: `use at most ${most} of (?= ) (?! ) (?<= ) (?<! ) ^ $ \\b \\B`,
      });
    }
    this.#conditions = conditions;
    this.#looks = conditions.map(condition =>
      'part' in condition
        ? new StateSets(patternProgram(condition.part, condition.kind === 'behind'), alphabet)
        : undefined,
    );
  }

  /**
   * Returns the conditions that are true at each position as bits, valid until the next call;
   * positions inside a character are undefined.
   */
  at(text: string): Uint16Array {
    const places = text.length + 1;
    if (this.#short.length >= places) this.#short.fill(0, 0, places);
    const bits = this.#short.length >= places ? this.#short : new Uint16Array(places);
    for (const [i, condition] of this.#conditions.entries()) {
      const bit = 1 << i;
      if (condition.kind === 'start') bits[0]! |= bit;
      else if (condition.kind === 'end') bits[text.length]! |= bit;
      else if (condition.kind === 'behind') this.#behind(text, i, condition.negative, bits);
      else if (condition.kind === 'ahead') this.#ahead(text, i, condition.negative, bits);
      else addBoundaries(text, bit, condition.kind === 'boundary', bits);
    }
    return bits;
  }

  #ahead(text: string, i: number, negative: boolean, bits: Uint16Array): void {
    const sets = this.#looks[i]!;
    sets.bounded();
    let set = sets.first(bits[text.length]!);
    if (sets.starts(set) !== negative) bits[text.length]! |= 1 << i;
    for (let at = text.length; at > 0; ) {
      const character = codePointBefore(text, at);
      at -= character > 0xffff ? 2 : 1;
      set = sets.next(sets.bounded(set), character, bits[at]!);
      if (sets.starts(set) !== negative) bits[at]! |= 1 << i;
    }
  }

  #behind(text: string, i: number, negative: boolean, bits: Uint16Array): void {
    const sets = this.#looks[i]!;
    sets.bounded();
    let set = sets.first(bits[0]!);
    if (sets.starts(set) !== negative) bits[0]! |= 1 << i;
    for (let at = 0; at < text.length; ) {
      const character = text.codePointAt(at)!;
      at += character > 0xffff ? 2 : 1;
      set = sets.next(sets.bounded(set), character, bits[at]!);
      if (sets.starts(set) !== negative) bits[at]! |= 1 << i;
    }
  }
}

/** Returns the character that ends at a position after the first. */
function codePointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  if ((unit & 0xfc00) !== 0xdc00 || at < 2) return unit;
  const high = text.charCodeAt(at - 2);
  return (high & 0xfc00) === 0xd800 ? (high - 0xd800) * 0x400 + (unit - 0xdc00) + 0x10000 : unit;
}

function addBoundaries(text: string, bit: number, wanted: boolean, bits: Uint16Array): void {
  let before = false;
  for (let at = 0; at <= text.length; at += 1) {
    const after = at < text.length && isWord(text.charCodeAt(at));
    if ((before !== after) === wanted) bits[at]! |= bit;
    before = after;
  }
}

/** Returns whether a unit matches `\w`. */
function isWord(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 97 && lower <= 122 && unit < 128) || (unit >= 48 && unit <= 57) || unit === 95;
}

/** Number of UTF-16 units of a text whose state sets are stored at a time. */
const blockLength = 16_384;

/**
 * A regular expression with the flag `u` that takes time linear in the text for every pattern and
 * text, without backtracking. It has the same matches as a `RegExp`.
 *
 * A text is read twice. The backward pass records a set at each position: the states of the pattern
 * from which the rest matches. In the forward pass, each match follows the preferred one of the
 * paths that succeed, so no path is ever abandoned. Sets are stored for one block of the text at a
 * time, and at the ends of all blocks.
 */
export class LinearPattern {
  readonly source: string;
  readonly #program: PatternProgram;
  readonly #sets: StateSets;
  readonly #conditions: ConditionBits | undefined;
  #text = '';
  #bits: Uint16Array | undefined;
  /** Start positions of all blocks except the first, and the sets at them. */
  readonly #begins: number[] = [];
  readonly #marks: Uint8Array[] = [];
  /** Sets of the current block, and its range. */
  #noted = new Int32Array(64);
  #from = 0;
  #to = 0;

  /**
   * @param source source that is valid for `new RegExp(source, 'u')`
   * @throws TagstreamError `config` for backreferences, and for patterns that are too large
   */
  constructor(source: string) {
    this.source = source;
    const { root, sets, conditions } = parsePattern(source);
    const alphabet = new Alphabet(sets);
    this.#program = patternProgram(root);
    this.#sets = new StateSets(this.#program, alphabet);
    if (conditions.length > 0) this.#conditions = new ConditionBits(conditions, alphabet);
  }

  /** Returns whether the pattern matches somewhere in a text. */
  test(text: string): boolean {
    const start = this.#first(text);
    this.#close();
    return start >= 0;
  }

  /** Returns the first match in a text. */
  match(text: string): string | undefined {
    const start = this.#first(text);
    const found = start < 0 ? undefined : text.slice(start, this.#end(start));
    this.#close();
    return found;
  }

  /**
   * Passes the matches in a text to `take` until it returns false; they are those of `matchAll`
   * with the flag `g`.
   */
  visit(text: string, take: TakeRange): void {
    this.#open(text);
    for (let at = 0; at <= text.length; ) {
      const start = this.#startFrom(at);
      if (start < 0) break;
      const end = this.#end(start);
      if (!take(start, end)) break;
      at = end > start ? end : end + (text.codePointAt(end)! > 0xffff ? 2 : 1);
    }
    this.#close();
  }

  #first(text: string): number {
    this.#open(text);
    return this.#startFrom(0);
  }

  /** Reads a text from its end to its beginning. */
  #open(text: string): void {
    this.#text = text;
    this.#bits = this.#conditions?.at(text);
    let to = text.length;
    this.#enter(to);
    let set = this.#sets.first(this.#bits?.[to] ?? 0);
    for (;;) {
      let from = Math.max(0, to - blockLength + 1);
      if (from > 0 && codePointBefore(text, from + 1) > 0xffff) from -= 1;
      set = this.#note(set, from, to);
      if (from === 0) break;
      this.#begins.push(from);
      // The next block ends before the first character of the current one.
      this.#marks.push(this.#sets.kept(set));
      to = from;
      set = this.#enter(to, set);
    }
  }

  /** Releases the text. */
  #close(): void {
    this.#text = '';
    this.#bits = undefined;
    if (this.#begins.length === 0) return;
    this.#begins.length = 0;
    this.#marks.length = 0;
  }

  /** Enters a block; if there are too many sets, all except the current one are forgotten. */
  #enter(to: number, set?: number): number {
    if (this.#noted.length <= Math.min(to, blockLength) + 1) {
      this.#noted = new Int32Array(Math.min(2 * to, blockLength) + 2);
    }
    return this.#sets.bounded(set);
  }

  /** Records the sets of the positions from `to` down to `from`, and returns the last one. */
  #note(last: number, from: number, to: number): number {
    const text = this.#text;
    const noted = this.#noted;
    const bits = this.#bits;
    const sets = this.#sets;
    let set = last;
    noted[to - from] = set;
    for (let at = to; at > from; ) {
      const unit = text.charCodeAt(at - 1);
      at -= 1;
      let character = unit;
      if ((unit & 0xfc00) === 0xdc00) {
        character = codePointBefore(text, at + 1);
        if (character > 0xffff) {
          // No match starts at a position inside a character.
          noted[at - from] = -1;
          at -= 1;
        }
      }
      set = sets.next(set, character, bits === undefined ? 0 : bits[at]!);
      noted[at - from] = set;
    }
    this.#from = from;
    this.#to = to;
    return set;
  }

  /** Returns the set at a position, after reading its block again if another one is current. */
  #setAt(at: number): number {
    if (at < this.#from || at > this.#to) this.#goTo(at);
    return this.#noted[at - this.#from]!;
  }

  #goTo(at: number): void {
    let block = this.#begins.findIndex(begin => begin <= at);
    if (block < 0) block = this.#begins.length;
    const to = block === 0 ? this.#text.length : this.#begins[block - 1]!;
    this.#enter(to);
    const last =
      block === 0
        ? this.#sets.first(this.#bits?.[to] ?? 0)
        : this.#sets.restored(this.#marks[block - 1]!);
    this.#note(last, this.#begins[block] ?? 0, to);
  }

  /** Returns the start of the first match at or after a position, or -1. */
  #startFrom(from: number): number {
    for (let at = from; at <= this.#text.length; at += 1) {
      const set = this.#setAt(at);
      if (set >= 0 && this.#sets.starts(set)) return at;
    }
    return -1;
  }

  /** Returns the end of the match that starts at a position. */
  #end(start: number): number {
    const { nexts } = this.#program;
    let at = start;
    let state = this.#program.start;
    for (;;) {
      state = this.#sets.walk(this.#setAt(at), state);
      if (state === 0) return at;
      const unit = this.#text.charCodeAt(at);
      at += (unit & 0xfc00) === 0xd800 && this.#text.codePointAt(at)! > 0xffff ? 2 : 1;
      state = nexts[state]!;
    }
  }
}

/**
 * Receives a match from `start` to `end` of a text, and returns whether more matches are wanted.
 */
export type TakeRange = (start: number, end: number) => boolean;
