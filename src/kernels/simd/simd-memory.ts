import type { Minibatch } from '../../core/minibatch.js';
import type { LinearMemory } from '../linear-memory.js';
import { type SimdExports, simdExports } from './simd-exports.js';

type Numbers = Int32Array | Uint32Array | Float64Array;

/** A copy of an array in linear memory, which grows as it needs to. */
class Copy {
  offset = 0;
  #bytes = 0;
  readonly #memory: LinearMemory;

  constructor(memory: LinearMemory) {
    this.#memory = memory;
  }

  reserve(bytes: number): void {
    if (bytes <= this.#bytes) return;
    this.#memory.free(this.offset, this.#bytes);
    this.#bytes = Math.max(bytes, this.#bytes * 2);
    this.offset = this.#memory.allocate(this.#bytes);
  }

  write(numbers: Numbers): void {
    this.reserve(numbers.byteLength);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    new Uint8Array(this.#memory.buffer, this.offset, bytes.length).set(bytes);
  }
}

/** The module over one memory, and the minibatch that its functions read there. */
export class SimdMemory {
  readonly run: SimdExports;
  readonly #starts: Copy;
  readonly #rows: Copy;
  readonly #values: Copy;
  readonly #slots: Copy;
  readonly #best: Copy;
  readonly #memory: LinearMemory;
  #batch: Minibatch | undefined;
  #hasValues = false;

  constructor(memory: LinearMemory, suffix: 'f32' | 'f64') {
    this.#memory = memory;
    this.run = simdExports(memory.memory, suffix);
    this.#starts = new Copy(memory);
    this.#rows = new Copy(memory);
    this.#values = new Copy(memory);
    this.#slots = new Copy(memory);
    this.#best = new Copy(memory);
  }

  /** Copies the rows of a minibatch, unless they are there already. */
  load(batch: Minibatch): void {
    if (this.#batch === batch) return;
    this.#batch = batch;
    this.#starts.write(batch.stateStarts);
    this.#rows.write(batch.stateRows);
    this.#hasValues = batch.stateValues !== undefined;
    if (batch.stateValues !== undefined) this.#values.write(batch.stateValues);
  }

  loadSlots(slots: Int32Array): void {
    this.#slots.write(slots);
  }

  get starts(): number {
    return this.#starts.offset;
  }

  get rows(): number {
    return this.#rows.offset;
  }

  /** 0 where all values are 1. */
  get values(): number {
    return this.#hasValues ? this.#values.offset : 0;
  }

  get slots(): number {
    return this.#slots.offset;
  }

  /** Room for one label a token. */
  bestLabels(tokens: number): { offset: number; view: () => Int32Array } {
    this.#best.reserve(tokens * 4);
    const { offset } = this.#best;
    return { offset, view: () => new Int32Array(this.#memory.buffer, offset, tokens) };
  }
}
