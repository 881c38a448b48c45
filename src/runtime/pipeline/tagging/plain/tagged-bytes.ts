import type { LinearMemory } from '../../../../engine/kernels/memory/linear-memory.js';
import { Region } from '../../../../engine/kernels/memory/region.js';

/** Initial capacity in bytes. */
const leastRoom = 131_072;

/** Collects output bytes in the kernel's memory. */
export class TaggedBytes {
  readonly #memory: LinearMemory;
  readonly #out: Region;
  #length = 0;
  #view = new Uint8Array(0);
  #spare: ArrayBuffer | undefined;

  constructor(memory: LinearMemory) {
    this.#memory = memory;
    this.#out = new Region(memory);
    this.#out.reserve(leastRoom);
  }

  /** Number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Address of the end, where the kernel writes next. */
  get end(): number {
    return this.#out.offset + this.#length;
  }

  set end(address: number) {
    this.#length = address - this.#out.offset;
  }

  /** Discards the contents. */
  clear(): void {
    this.#length = 0;
  }

  /** Reserves room for `more` further bytes. */
  reserve(more: number): void {
    if (this.#length + more <= this.#out.bytes) return;
    const kept = this.#written().slice();
    this.#out.reserve(this.#length + more);
    this.#bytes().set(kept, this.#out.offset);
  }

  /** Adds finished bytes. */
  add(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#bytes().set(bytes, this.end);
    this.#length += bytes.length;
  }

  /** Returns all bytes; the caller owns them, and may return their memory with `reuse`. */
  take(): Uint8Array<ArrayBuffer> {
    const spare = this.#spare;
    this.#spare = undefined;
    const isEnough = spare !== undefined && spare.byteLength >= this.#length;
    // With room for a longer output.
    const memory = isEnough ? spare : new ArrayBuffer(Math.ceil(1.125 * this.#length));
    const taken = new Uint8Array(memory, 0, this.#length);
    taken.set(this.#written());
    this.#length = 0;
    return taken;
  }

  /** Takes back memory from `take` that is no longer in use, for the next call. */
  reuse({ buffer }: Uint8Array<ArrayBuffer>): void {
    this.#spare = buffer;
  }

  /** Returns a view of the whole memory. */
  #bytes(): Uint8Array {
    const { buffer } = this.#memory;
    if (this.#view.buffer !== buffer) this.#view = new Uint8Array(buffer);
    return this.#view;
  }

  #written(): Uint8Array {
    return this.#bytes().subarray(this.#out.offset, this.end);
  }
}
