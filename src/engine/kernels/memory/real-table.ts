import type { Precision, Reals } from '../../core/arrays.js';
import type { LinearMemory } from './linear-memory.js';

/** A growing table of rows of float64 or float32 numbers in linear memory; unused rows and lanes are zero. */
export class RealTable {
  readonly memory: LinearMemory;
  readonly precision: Precision;
  #offset = 0;
  #capacity = 0;
  readonly #array: Float64ArrayConstructor | Float32ArrayConstructor;
  #view: Reals;
  #width: number;
  /** Whether `place` has set the table's location, so that another owner frees it. */
  #placed = false;

  constructor(memory: LinearMemory, width: number, precision: Precision = 'float64') {
    this.memory = memory;
    this.precision = precision;
    this.#array = precision === 'float64' ? Float64Array : Float32Array;
    this.#view = new this.#array(0);
    this.#width = width;
  }

  /** Number of lanes per row. */
  get width(): number {
    return this.#width;
  }

  /** Number of rows that fit without growing. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Number of values in all rows within the capacity. */
  get numbers(): number {
    return this.#capacity * this.#width;
  }

  /** Offset of the table in its memory, for kernels that take addresses. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * All rows as one array, valid until any table in the same memory grows: take it once per batch.
   */
  get view(): Reals {
    if (this.#view.buffer !== this.memory.buffer) {
      this.#view = this.#viewAt(this.#offset, this.#capacity * this.#width);
    }
    return this.#view;
  }

  /** Makes room for `rows` rows, growing by at least half; contents are kept. */
  reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    this.#move(Math.max(rows, Math.ceil(this.#capacity * 1.5)));
  }

  /** Makes room for `rows` rows and sets all numbers to zero. */
  reset(rows: number, width: number): void {
    this.#free();
    this.#width = width;
    // The capacity is 0 until there is room, so that a table that does not fit frees nothing twice.
    this.#capacity = 0;
    this.#view = new this.#array(0);
    this.#offset = this.memory.allocate(rows * width * this.#array.BYTES_PER_ELEMENT);
    this.#capacity = rows;
    this.#view = this.#viewAt(this.#offset, rows * width);
  }

  /** Makes the table a view of `rows` rows at an offset that another owner allocated. */
  place(offset: number, rows: number, width = this.#width): void {
    if (
      this.#placed &&
      this.#offset === offset &&
      this.#capacity === rows &&
      this.#width === width
    ) {
      return;
    }
    this.#free();
    this.#placed = true;
    this.#offset = offset;
    this.#capacity = rows;
    this.#width = width;
    this.memory.refresh(offset + this.#bytes());
    this.#view = this.#viewAt(offset, rows * width);
  }

  #free(): void {
    if (!this.#placed) this.memory.free(this.#offset, this.#bytes());
    this.#placed = false;
  }

  #move(capacity: number): void {
    const bytes = capacity * this.#width * this.#array.BYTES_PER_ELEMENT;
    const offset = this.memory.allocate(bytes, true);
    const moved = this.#viewAt(offset, capacity * this.#width);
    moved.set(this.view);
    this.#free();
    this.#offset = offset;
    this.#capacity = capacity;
    this.#view = moved;
  }

  #bytes(): number {
    return this.#capacity * this.#width * this.#array.BYTES_PER_ELEMENT;
  }

  #viewAt(offset: number, length: number): Reals {
    return new this.#array(this.memory.buffer, offset, length);
  }
}

/**
 * Number of float64 lanes to a multiple of which rows are padded: a cache line of 64 bytes holds
 * two such groups.
 */
const laneGroup = 4;

/**
 * Returns the number of lanes per row for `labels` labels: the next multiple of four.
 *
 * @example
 * rowWidth(22) // => 24
 */
export function rowWidth(labels: number): number {
  return Math.max(laneGroup, Math.ceil(labels / laneGroup) * laneGroup);
}
