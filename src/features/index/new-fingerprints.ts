import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';

/** Fingerprints of the rows that an index has given since they were last taken, in order of the rows. */
export class NewFingerprints {
  readonly #region: Region;
  /** The row that the first of them has, from 0. */
  firstRow: number;

  /** @param firstRow the row that comes next */
  constructor(memory: LinearMemory, firstRow: number) {
    this.#region = new Region(memory);
    this.#region.reserve(8);
    this.firstRow = firstRow;
  }

  get offset(): number {
    return this.#region.offset;
  }

  /** Rows beyond the first `size` that there is room for. */
  room(size: number): number {
    return Math.floor(this.#region.bytes / 8) - (size - this.firstRow);
  }

  /** Makes room for `more` rows beyond the first `size`. */
  reserve(size: number, more: number): void {
    const words = 2 * (size - this.firstRow);
    const bytes = 4 * words + 8 * more;
    if (bytes <= this.#region.bytes) return;
    const noted = this.#region.words(words).slice();
    this.#region.reserve(bytes);
    this.#region.words(words).set(noted);
  }

  /** Those up to row `size`, as a copy: lo and hi in turn. */
  take(size: number): Uint32Array<ArrayBuffer> {
    const taken = this.#region.words(2 * (size - this.firstRow)).slice();
    this.firstRow = size;
    return taken;
  }
}
