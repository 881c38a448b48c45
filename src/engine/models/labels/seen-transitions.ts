/** Marks the positions before the first token of a sentence and after the last. */
export const outside = -1;

/** A number greater than any label number. */
const stride = 2 ** 16 + 1;

/** Number of slots for recently recorded transitions: a power of two. */
const lately = 4096;

/**
 * Records which labels have followed each other in labelled sentences, and which began and ended
 * sentences.
 *
 * @example
 * const seen = new SeenTransitions();
 * seen.note(Int32Array.of(0, 2, 0));
 * seen.has(0, 2) // => true
 * seen.has(2, -1) // => false
 */
export class SeenTransitions {
  readonly #keys: Set<number>;
  /** Recent transitions by their lowest bits, which cover most occurrences. */
  readonly #noted = new Float64Array(lately).fill(-1);

  /** @param keys the result of `save` */
  constructor(keys: Iterable<number> = []) {
    this.#keys = new Set(keys);
  }

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Records the transitions of one sentence; labels below 0 are unknown, and so are transitions from
   * and to them.
   */
  note(labels: Int32Array): void {
    let from = outside;
    for (let t = 0; t <= labels.length; t += 1) {
      const to = t < labels.length ? labels[t]! : outside;
      const isKnown = (t === 0 || from >= 0) && (t === labels.length || to >= 0);
      if (isKnown) this.add(from, to);
      from = to;
    }
  }

  /** Records one transition; -1 is a position outside the sentence. */
  add(from: number, to: number): void {
    const place = (64 * (from + 1) + to + 1) & (lately - 1);
    const key = keyOf(from, to);
    if (this.#noted[place] === key) return;
    this.#noted[place] = key;
    this.#keys.add(key);
  }

  has(from: number, to: number): boolean {
    return this.#keys.has(keyOf(from, to));
  }

  /** Returns all transitions, as label pairs. */
  *pairs(): Generator<readonly [from: number, to: number]> {
    for (const key of this.#keys) yield [Math.floor(key / stride) - 1, (key % stride) - 1];
  }

  /** Returns the transitions as plain numbers, in ascending order. */
  save(): number[] {
    return [...this.#keys].sort((a, b) => a - b);
  }
}

function keyOf(from: number, to: number): number {
  return (from + 1) * stride + to + 1;
}
