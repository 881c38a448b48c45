import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';
import { WordSlab } from './word-slab.js';

/** Where an index leaves the rows of a list of fingerprints. */
export class RowList {
  readonly #starts: Region;
  readonly #rows: Region;
  readonly #kept: Region;
  readonly #slab = new WordSlab();
  /** Whether it is asked where in the list each row comes from. */
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

  /** 0 where it is not asked for. */
  get kept(): number {
    return this.#asked ? this.#kept.offset : 0;
  }

  open(length: number, places: number, asked: boolean): void {
    this.#asked = asked;
    this.#starts.reserve((length + 1) * 4);
    this.#rows.reserve(places * 4);
    if (asked) this.#kept.reserve(places * 4);
  }

  /** Places in the list that the rows come from, as a copy; for a list that was opened for it. */
  takePlaces(length: number): Uint32Array {
    return this.#kept.words(this.#starts.words(length + 1)[length]!).slice();
  }

  /** What was left there, all values 1, until memory grows. */
  view(length: number): PackedRows {
    const starts = this.#starts.words(length + 1);
    return { starts, rows: this.#rows.words(starts[length]!) };
  }

  /**
   * Copies of what an index left.
   *
   * @param values those of all places of the list, or undefined where all are 1
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
