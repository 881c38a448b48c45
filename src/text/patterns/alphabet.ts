/** Code points of a page. */
const pageSize = 256;

/**
 * The characters of a pattern by class: two characters are of one class if the pattern's sets do not
 * apart. Which set a character is in, the regular expressions of the language say.
 *
 * @example
 * const alphabet = new Alphabet(['\\d', '[a-z1]']);
 * const [one, two, three] = Array.from('123', digit => alphabet.classOf(digit.codePointAt(0)));
 * [one === two, two === three] // => [false, true]
 * alphabet.has(one, 1) // => true
 */
export class Alphabet {
  readonly #sets: readonly RegExp[];
  /** Classes by code point, 0 where it is not known yet. */
  readonly #pages: (Uint16Array | undefined)[] = [];
  readonly #numbers = new Map<string, number>();
  /** The sets of each class, as a text of 0 and 1. */
  readonly #members: string[] = [''];

  /** @param sets each as the source of an expression for one character */
  constructor(sets: readonly string[]) {
    this.#sets = sets.map(set => new RegExp(`^${set}$`, 'u'));
  }

  /** One more than the highest class so far. */
  get size(): number {
    return this.#members.length;
  }

  /** The class of a character, from 1. */
  classOf(codePoint: number): number {
    const page = this.#pages[codePoint >>> 8];
    const known = page === undefined ? 0 : page[codePoint & (pageSize - 1)]!;
    return known === 0 ? this.#classify(codePoint) : known;
  }

  /** Whether the characters of a class are in a set. */
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
