import { type PatternProgram, stateKind } from './pattern-program.js';

/** Number of code points per page. */
const pageSize = 256;

/**
 * The characters of a pattern by class: two characters are in the same class if the pattern's sets
 * do not distinguish them. JavaScript's regular expressions decide which sets contain a character.
 *
 * @example
 * const alphabet = new Alphabet(['\\d', '[a-z1]']);
 * const [one, two, three] = Array.from('123', digit => alphabet.classOf(digit.codePointAt(0)));
 * [one === two, two === three] // => [false, true]
 * alphabet.has(one, 1) // => true
 */
export class Alphabet {
  readonly #sets: readonly RegExp[];
  /** Classes by code point; 0 if not known yet. */
  readonly #pages: (Uint16Array | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  /** Sets of each class, as a string of 0 and 1. */
  readonly #members: string[] = [''];

  /** @param sets sets, each as the source of an expression for one character */
  constructor(sets: readonly string[]) {
    this.#sets = sets.map(set => new RegExp(`^${set}$`, 'u'));
  }

  /** Highest class so far, plus one. */
  get size(): number {
    return this.#members.length;
  }

  /** Returns the class of a character, from 1. */
  classOf(codePoint: number): number {
    const page = this.#pages[codePoint >>> 8];
    const known = page === undefined ? 0 : page[codePoint & (pageSize - 1)]!;
    return known === 0 ? this.#classify(codePoint) : known;
  }

  /** Returns whether the characters of a class are in a set. */
  has(characterClass: number, set: number): boolean {
    return this.#members[characterClass]!.charCodeAt(set) === 49;
  }

  #classify(codePoint: number): number {
    const character = String.fromCodePoint(codePoint);
    const members = this.#sets.map(set => (set.test(character) ? '1' : '0')).join('');
    let number = this.#numbers.get(members);
    if (number === undefined) {
      number = this.#members.length;
      this.#numbers.set(members, number);
      this.#members.push(members);
    }
    this.#pages[codePoint >>> 8] ??= new Uint16Array(pageSize);
    this.#pages[codePoint >>> 8]![codePoint & (pageSize - 1)] = number;
    return number;
  }
}

/** Maximum number of sets, above which they are forgotten. */
const mostSets = 2000;

/** The states of a program from which the text read so far matches. */
interface StateSet {
  readonly has: Uint8Array;
  /** Set after one more character, by conditions and class; 0 if not computed yet. */
  rows: Int32Array;
  /**
   * State to which each state leads without consuming a character: one that consumes a character,
   * or the match; 0 if not computed yet.
   */
  readonly walks: Int16Array;
}

/**
 * State sets of a program for reading a text backwards, each built when first reached (a lazy DFA).
 * All paths of a match are followed at once, with one table lookup per character.
 */
export class StateSets {
  readonly #program: PatternProgram;
  readonly #alphabet: Alphabet;
  /** Numbers of the combinations of conditions, from 1. */
  readonly #situations = new Map<number, number>();
  readonly #bits: number[] = [0];
  readonly #numbers = new Map<string, number>();
  #sets: StateSet[] = [];
  /** Whether each set contains the program's start, so that a match starts there. */
  readonly #starts: number[] = [];
  /** Sets before any character, by conditions. */
  #firsts: number[] = [];
  #classes = 0;
  #width = 0;

  constructor(program: PatternProgram, alphabet: Alphabet) {
    this.#program = program;
    this.#alphabet = alphabet;
  }

  /**
   * Forgets all sets except one if there are too many, which invalidates their numbers.
   *
   * @param set set that is still needed
   * @returns new number of that set
   */
  bounded(set?: number): number {
    if (this.#sets.length <= mostSets) return set ?? 0;
    const kept = set === undefined ? undefined : this.kept(set);
    this.#sets = [];
    this.#numbers.clear();
    this.#starts.length = 0;
    this.#firsts = [];
    return kept === undefined ? 0 : this.restored(kept);
  }

  /** Returns the set before any character, under the conditions `bits`. */
  first(bits: number): number {
    const known = this.#firsts[bits];
    if (known !== undefined) return known;
    const set = this.#numberOf(this.#made(undefined, 0, bits));
    this.#firsts[bits] = set;
    return set;
  }

  /** Returns the set after one more character, under the conditions `bits`. */
  next(set: number, codePoint: number, bits: number): number {
    const characterClass = this.#alphabet.classOf(codePoint);
    let situation = 0;
    if (bits !== 0) {
      situation = this.#situations.get(bits) ?? this.#situate(bits);
    }
    if (characterClass >= this.#classes || situation >= this.#width) this.#widen();
    const place = situation * this.#classes + characterClass;
    const { rows } = this.#sets[set]!;
    const known = rows[place]!;
    if (known !== 0) return known - 1;
    const made = this.#numberOf(this.#made(this.#sets[set]!.has, characterClass, bits));
    this.#sets[set]!.rows[place] = made + 1;
    return made;
  }

  /** Returns whether a match starts at a set. */
  starts(set: number): boolean {
    return this.#starts[set] === 1;
  }

  /**
   * Returns the state to which a state of a set leads without consuming a character: one that
   * consumes a character, or the match (0).
   */
  walk(set: number, state: number): number {
    const { has, walks } = this.#sets[set]!;
    const known = walks[state]!;
    if (known !== 0) return known - 1;
    const { kinds, nexts, others } = this.#program;
    let at = state;
    while (kinds[at]! >= stateKind.fork) {
      const next = nexts[at]!;
      at = has[next] === 1 ? next : others[at]!;
    }
    walks[state] = at + 1;
    return at;
  }

  /** Returns a set as bytes, which remain valid when its number does not. */
  kept(set: number): Uint8Array {
    return this.#sets[set]!.has;
  }

  /** Returns the number of a set that was returned by `kept`. */
  restored(has: Uint8Array): number {
    return this.#numberOf(has);
  }

  #made(before: Uint8Array | undefined, characterClass: number, bits: number): Uint8Array {
    const { order, kinds, subjects, nexts, others } = this.#program;
    const has = new Uint8Array(kinds.length);
    for (const state of order) {
      const subject = subjects[state]!;
      const next = nexts[state]!;
      let isIn = 0;
      switch (kinds[state]) {
        case stateKind.match:
          isIn = 1;
          break;
        case stateKind.set:
          if (before?.[next] === 1 && this.#alphabet.has(characterClass, subject)) isIn = 1;
          break;
        case stateKind.fork:
          isIn = has[next]! | has[others[state]!]!;
          break;
        case stateKind.condition:
          isIn = (bits >>> subject) & 1 & has[next]!;
          break;
      }
      has[state] = isIn;
    }
    return has;
  }

  #numberOf(has: Uint8Array): number {
    const key = keyOf(has);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.length;
    this.#numbers.set(key, number);
    const rows = new Int32Array(this.#classes * this.#width);
    this.#sets.push({ has, rows, walks: new Int16Array(has.length) });
    this.#starts.push(has[this.#program.start]!);
    return number;
  }

  #situate(bits: number): number {
    const number = this.#bits.length;
    this.#bits.push(bits);
    this.#situations.set(bits, number);
    return number;
  }

  /**
   * Enlarges the tables for more classes and situations; their contents are recomputed on demand.
   */
  #widen(): void {
    this.#classes = Math.max(16, 2 * this.#alphabet.size);
    this.#width = this.#situations.size === 0 ? 1 : 2 * this.#bits.length;
    for (const set of this.#sets) set.rows = new Int32Array(this.#classes * this.#width);
  }
}

/** Returns a set's key, with sixteen states per character. */
function keyOf(has: Uint8Array): string {
  let key = '';
  for (let from = 0; from < has.length; from += 16) {
    let bits = 0;
    const end = Math.min(from + 16, has.length);
    for (let i = from; i < end; i += 1) bits = (bits << 1) | has[i]!;
    key += String.fromCharCode(bits);
  }
  return key;
}
