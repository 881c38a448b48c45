import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';

/** Number of words in a slab, and maximum number of words of a copy stored in one. */
const slabWords = 2 ** 15;
const mostWords = 2 ** 12;

/**
 * Copies short word arrays into shared slabs, because allocating and freeing memory costs more than filling it.
 * A slab lives as long as any of its copies.
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

/** Receives the rows of a list of fingerprints from an index. */
export class RowList {
  readonly #starts: Region;
  readonly #rows: Region;
  readonly #kept: Region;
  readonly #slab = new WordSlab();
  /** Whether the list index of each row was requested. */
  #asked = false;

  constructor(memory: LinearMemory) {
    this.#starts = new Region(memory);
    this.#rows = new Region(memory);
    this.#kept = new Region(memory);
  }

  get starts(): number {
    return this.#starts.offset;
  }

  get rows(): number {
    return this.#rows.offset;
  }

  /** Address of the list indices; 0 if they were not requested. */
  get kept(): number {
    return this.#asked ? this.#kept.offset : 0;
  }

  open(length: number, places: number, asked: boolean): void {
    this.#asked = asked;
    this.#starts.reserve((length + 1) * 4);
    this.#rows.reserve(places * 4);
    if (asked) this.#kept.reserve(places * 4);
  }

  /** Returns a copy of the rows' list indices, for a list opened with this request. */
  takePlaces(length: number): Uint32Array {
    return this.#kept.words(this.#starts.words(length + 1)[length]!).slice();
  }

  /** Returns a view of the result, with all values 1; valid until memory grows. */
  view(length: number): PackedRows {
    const starts = this.#starts.words(length + 1);
    return { starts, rows: this.#rows.words(starts[length]!) };
  }

  /**
   * Returns copies of the result.
   *
   * @param values values of all list entries; undefined if all are 1
   */
  take(length: number, values: Float64Array | undefined): PackedRows {
    const starts = this.#slab.copy(this.#starts.words(length + 1));
    const count = starts[length]!;
    const rows = this.#slab.copy(this.#rows.words(count));
    if (values === undefined) return { starts, rows };
    const kept = this.#kept.words(count);
    const taken = new Float64Array(count);
    let isAllOnes = true;
    for (let i = 0; i < count; i += 1) {
      const value = values[kept[i]!]!;
      taken[i] = value;
      if (value !== 1) isAllOnes = false;
    }
    return isAllOnes ? { starts, rows } : { starts, rows, values: taken };
  }
}
