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
  /** Whether its numbers lie where `place` has put them; then another owner frees them. */
  #placed = false;

  constructor(memory: LinearMemory, width: number, precision: Precision = 'float64') {
    this.memory = memory;
    this.precision = precision;
    this.#array = precision === 'float64' ? Float64Array : Float32Array;
    this.#view = new this.#array(0);
    this.#width = width;
  }

  /** Lanes in a row. */
  get width(): number {
    return this.#width;
  }

  /** Rows that fit without growing. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Numbers in all rows within the capacity. */
  get numbers(): number {
    return this.#capacity * this.#width;
  }

  /** Where the table starts in its memory, for kernels that take addresses. */
  get offset(): number {
    return this.#offset;
  }

  /** All rows, as one array. Valid until any table of the same memory grows: take it once per batch. */
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

  /** Makes room for `rows` rows; contents are lost and all numbers become zero. */
  reset(rows: number, width: number): void {
    this.#free();
    this.#width = width;
    // Until there is room for them, so that a table that does not fit frees nothing twice.
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

/** float64 lanes that rows are padded to: one cache line of 64 bytes holds two such groups. */
const laneGroup = 4;

/**
 * Lanes in a row for `labels` labels: the next multiple of four.
 *
 * @example
 * rowWidth(22) // => 24
 */
export function rowWidth(labels: number): number {
  return Math.max(laneGroup, Math.ceil(labels / laneGroup) * laneGroup);
}
