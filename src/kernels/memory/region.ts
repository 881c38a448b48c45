import type { Reals } from '../../core/reals.js';
import type { LinearMemory } from './linear-memory.js';

type Numbers = Int32Array | Uint32Array | Reals;

/** A part of linear memory that grows as it needs to; what it held is lost when it does. */
export class Region {
  readonly memory: LinearMemory;
  offset = 0;
  #bytes = 0;

  constructor(memory: LinearMemory) {
    this.memory = memory;
  }

  /** Bytes that there is room for. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room for `bytes` bytes; true where it had to move. */
  reserve(bytes: number): boolean {
    if (bytes <= this.#bytes) return false;
    this.memory.free(this.offset, this.#bytes);
    this.#bytes = Math.max(bytes, this.#bytes * 2);
    this.offset = this.memory.allocate(this.#bytes);
    return true;
  }

  /** Copies an array to its beginning. */
  write(numbers: Numbers): void {
    this.reserve(numbers.byteLength);
    if (numbers instanceof Uint32Array) {
      this.memory.words.set(numbers, this.offset / 4);
      return;
    }
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    new Uint8Array(this.memory.buffer, this.offset, bytes.length).set(bytes);
  }

  /** Its first `length` words, until memory grows. */
  words(length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, length);
  }
}
