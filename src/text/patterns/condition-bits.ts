import { TagstreamError } from '../../core/errors.js';
import type { Alphabet } from './alphabet.js';
import { patternProgram } from './pattern-program.js';
import type { Condition } from './pattern-tree.js';
import { StateSets } from './state-sets.js';

/** Conditions of a pattern at most: a bit each. */
const most = 16;

/** Says for each place of a text which conditions of a pattern hold there. */
export class ConditionBits {
  readonly #conditions: readonly Condition[];
  /** Used again for each short text. */
  readonly #short = new Uint16Array(256);
  readonly #looks: readonly (StateSets | undefined)[];

  /** @throws TagstreamError `config` for too many conditions, or one that is too large */
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

  /** A bit for each condition, by place, until the next call; places inside of a character say nothing. */
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

/** The character that ends at a place after the first. */
export function codePointBefore(text: string, at: number): number {
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

/** As `\w` has it. */
function isWord(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 97 && lower <= 122 && unit < 128) || (unit >= 48 && unit <= 57) || unit === 95;
}
