import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';

/** Words before the rows: how many of them are taken, and how many there are. */
const head = 2;

/**
 * Rows that have lost their feature, in ascending order, where the kernel takes them from for features that
 * are new. 4 bytes per row.
 */
export class FreeRows {
  readonly #region: Region;
  /** Rows of the list that `takeReused` has reported. */
  #reported = 0;

  constructor(memory: LinearMemory) {
    this.#region = new Region(memory);
    this.#write(new Uint32Array(0));
  }

  /** Where the kernel finds them. */
  get offset(): number {
    return this.#region.offset;
  }

  /** Rows that are free. */
  get count(): number {
    const [taken, given] = this.#region.words(head);
    return given! - taken!;
  }

  /** The rows that are free, as a copy. */
  rows(): Uint32Array {
    const [taken, given] = this.#region.words(head);
    return this.#region.words(head + given!).slice(head + taken!);
  }

  /** Rows that have been taken since the last call, in the order in which they were. */
  takeReused(): Uint32Array {
    const [taken] = this.#region.words(head);
    const from = this.#reported;
    this.#reported = taken!;
    return this.#region.words(head + taken!).slice(head + from);
  }

  /** Adds rows, none of which is free; those taken before must have been reported. */
  add(more: Uint32Array): void {
    const free = this.rows();
    const all = new Uint32Array(free.length + more.length);
    all.set(free);
    all.set(more, free.length);
    this.#write(all.sort());
  }

  #write(rows: Uint32Array): void {
    this.#region.reserve(4 * (head + rows.length));
    const words = this.#region.words(head + rows.length);
    words[0] = 0;
    words[1] = rows.length;
    words.set(rows, head);
    this.#reported = 0;
  }
}
