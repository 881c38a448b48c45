/** Words of a slab, and most words of a copy that lies in one. */
const slabWords = 2 ** 15;
const mostWords = 2 ** 12;

/**
 * Copies of short arrays of words, many of which share the memory of one: to make and to drop memory costs more
 * than to fill it. A slab lives as long as one of its copies.
 *
 * @example
 * const slab = new WordSlab();
 * [...slab.copy(Uint32Array.of(1, 2)), ...slab.copy(Uint32Array.of(3))] // => [1, 2, 3]
 */
export class WordSlab {
  #slab = new Uint32Array(0);
  #used = 0;

  copy(words: Uint32Array): Uint32Array {
    if (words.length > mostWords) return words.slice();
    const start = this.#used;
    if (start + words.length > this.#slab.length) {
      this.#slab = new Uint32Array(slabWords);
      this.#used = 0;
      return this.copy(words);
    }
    this.#used = start + words.length;
    this.#slab.set(words, start);
    return this.#slab.subarray(start, this.#used);
  }
}
