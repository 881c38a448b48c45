import type { Reals } from '../../core/arrays.js';
import type { LinearMemory } from './linear-memory.js';

type Numbers = Int32Array | Uint32Array | Reals;

/** A part of linear memory that grows on demand; growing loses its contents. */
export class Region {
  readonly memory: LinearMemory;
  offset = 0;
  #bytes = 0;

  constructor(memory: LinearMemory) {
    this.memory = memory;
  }

  /** Capacity in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room for `bytes` bytes; returns whether the region had to move. */
  reserve(bytes: number): boolean {
    if (bytes <= this.#bytes) return false;
    this.memory.free(this.offset, this.#bytes);
    this.#bytes = Math.max(bytes, this.#bytes * 2);
    this.offset = this.memory.allocate(this.#bytes);
    return true;
  }

  /** Copies an array to the region's beginning. */
  write(numbers: Numbers): void {
    this.reserve(numbers.byteLength);
    if (numbers instanceof Uint32Array) {
      this.memory.words.set(numbers, this.offset / 4);
      return;
    }
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    new Uint8Array(this.memory.buffer, this.offset, bytes.length).set(bytes);
  }

  /** Returns the region's first `length` words, valid until memory grows. */
  words(length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, length);
  }
}

/**
 * Writes texts to a region in the kernels' layout: address and length of each, followed by their
 * bytes.
 *
 * @param slack number of bytes that may be read past the last text
 */
export function writeTexts(region: Region, texts: readonly Uint8Array[], slack = 0): void {
  const heads = 8 * texts.length;
  region.reserve(heads + texts.reduce((sum, { length }) => sum + length, 0) + slack);
  const { buffer } = region.memory;
  let at = region.offset + heads;
  for (const [i, text] of texts.entries()) {
    new Uint32Array(buffer, region.offset + 8 * i, 2).set([at, text.length]);
    new Uint8Array(buffer, at, text.length).set(text);
    at += text.length;
  }
}
