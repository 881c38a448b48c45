/**
 * Base-2 logarithm of the memory size in bits; also determines the number of words after which the
 * older half is forgotten.
 */
const bits = 20;
const most = 2 ** 17;

/**
 * Remembers at least the last 131,072 words in constant memory, 256 KiB. When the memory is full, a new word is
 * mistaken for a known one with a probability of up to 1/4.
 *
 * @example
 * const memory = new WordMemory();
 * [memory.addNew(['a', 'b', 'a']), memory.addNew(['b', 'c'])] // => [2, 1]
 */
export class WordMemory {
  /** One bit per hash: the hashes since the last swap, then those before it. */
  readonly hashes = new Uint32Array((2 * 2 ** bits) / 32);
  /** Number of words since the last swap. */
  count = 0;

  /** Adds words; returns the number of new ones. */
  addNew(words: readonly string[]): number {
    let fresh = 0;
    for (const word of words) if (this.isNew(word)) fresh += 1;
    return fresh;
  }

  /** Adds a word; returns whether it was new. */
  isNew(word: string): boolean {
    const { hashes } = this;
    const half = hashes.length / 2;
    const hash = hashOf(word);
    const place = hash >>> 5;
    const bit = 1 << (hash & 31);
    if ((hashes[place]! & bit) !== 0) return false;
    const isNew = (hashes[half + place]! & bit) === 0;
    if (this.count === most) {
      hashes.copyWithin(half, 0, half);
      hashes.fill(0, 0, half);
      this.count = 0;
    }
    hashes[place]! |= bit;
    this.count += 1;
    return isNew;
  }
}

/**
 * Returns FNV-1a of the letters, mixed and reduced to 20 bits.
 *
 * @example
 * hashOf('a') < 2 ** 20 // => true
 */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 15)) >>> (32 - bits);
}
