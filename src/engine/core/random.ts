/**
 * A seeded source of random numbers (xoshiro128**, seeded through splitmix32), whose state can be saved.
 *
 * @example
 * const random = new Random(1);
 * const twin = new Random(1);
 * random.below(10) === twin.below(10) // => true
 */
export class Random {
  readonly #state = new Uint32Array(4);

  /** @param seed any integer, of which only the low 32 bits are used */
  constructor(seed: number) {
    let mixed = seed | 0;
    for (let i = 0; i < 4; i += 1) {
      mixed = (mixed + 0x9e3779b9) | 0;
      let z = mixed ^ (mixed >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = Math.imul(z, 0x735a2d97);
      this.#state[i] = z ^ (z >>> 15);
    }
  }

  /** Returns the next 32 random bits as an unsigned integer. */
  next(): number {
    const s = this.#state;
    const x = Math.imul(s[1]!, 5);
    const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
    const t = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= t;
    s[3] = (s[3]! << 11) | (s[3]! >>> 21);
    return result;
  }

  /** Returns a number in `[0, 1)` with 53 random bits. */
  uniform(): number {
    return ((this.next() >>> 5) * 67108864 + (this.next() >>> 6)) / 9007199254740992;
  }

  /** Returns a uniformly distributed integer in `[0, n)` (rejection, no modulo bias). */
  below(n: number): number {
    const limit = 4294967296 - (4294967296 % n);
    let bits = this.next();
    while (bits >= limit) bits = this.next();
    return bits % n;
  }

  /** Returns a standard normal number (Box-Muller; the second number of the pair is dropped). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Shuffles items in place (Fisher-Yates). */
  shuffle(items: Uint32Array): Uint32Array {
    for (let i = items.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      const item = items[i]!;
      items[i] = items[j]!;
      items[j] = item;
    }
    return items;
  }

  /** The four state words, from which to resume. */
  get state(): readonly number[] {
    return Array.from(this.#state);
  }

  set state(words: readonly number[]) {
    this.#state.set(words);
  }
}
