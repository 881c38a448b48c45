/** Longer texts are recreated each time; most texts that are known, and places for them. */
const longest = 24;
const most = 2 ** 15;
const places = 2 ** 16;

/** Most places that are looked at for a text: of texts made so as to lie together, few are known. */
const mostTries = 32;

/**
 * The strings of cells by their bytes: one for equal short texts, found without making another. Of many columns, as
 * parts of speech, tags and frequent words, nearly every text has been met before. Memory is bounded.
 *
 * @example
 * const texts = new CellTexts();
 * const bytes = Buffer.from('NN VB NN');
 * [texts.of(bytes, 0, 2, 7), texts.of(bytes, 6, 8, 7), texts.size] // => ['NN', 'NN', 1]
 */
export class CellTexts {
  /** Number of the text at a place and 1; 0 marks a free one. */
  readonly #table = new Uint16Array(places);
  readonly #hashes = new Int32Array(most);
  /** Bytes of all texts, `longest` for each, and how many of these it has. */
  readonly #bytes = new Uint8Array(most * longest);
  readonly #lengths = new Uint8Array(most);
  readonly #texts: string[] = [];

  /** Texts that are known. */
  get size(): number {
    return this.#texts.length;
  }

  /**
   * The text of the bytes `[start, end)`, which are valid UTF-8. Cost O(bytes).
   *
   * @param hash any number that follows from the bytes
   */
  of(bytes: Buffer, start: number, end: number, hash: number): string {
    const length = end - start;
    if (length > longest) return bytes.toString('utf8', start, end);
    let place = (hash ^ (hash >>> 15)) & (places - 1);
    let tries = 0;
    for (let one = this.#table[place]!; one !== 0; one = this.#table[place]!) {
      if (this.#hashes[one - 1] === hash && this.#is(one - 1, bytes, start, length)) {
        return this.#texts[one - 1]!;
      }
      tries += 1;
      if (tries === mostTries) return bytes.toString('utf8', start, end);
      place = (place + 1) & (places - 1);
    }
    const text = bytes.toString('utf8', start, end);
    const number = this.#texts.length;
    if (number === most) return text;
    this.#texts.push(text);
    this.#hashes[number] = hash;
    this.#lengths[number] = length;
    this.#bytes.set(bytes.subarray(start, end), number * longest);
    this.#table[place] = number + 1;
    return text;
  }

  #is(number: number, bytes: Buffer, start: number, length: number): boolean {
    if (this.#lengths[number] !== length) return false;
    const first = number * longest;
    for (let i = 0; i < length; i += 1) {
      if (this.#bytes[first + i] !== bytes[start + i]) return false;
    }
    return true;
  }
}
