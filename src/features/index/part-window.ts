import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/** Bytes beside its own that may be looked at. */
const slack = 4;

/** A part of a file that is read from its beginning to its end, of which so many bytes lie in a memory at a time. */
export class PartWindow {
  readonly #memory: LinearMemory;
  readonly #bytes: number;
  readonly #length: number;
  readonly #read: (into: Uint8Array) => void;
  readonly #offset: number;
  #from = 0;
  #end = 0;

  /**
   * @param bytes room for so many, or for all if these are fewer
   * @param length bytes of the part
   * @param read fills what it is given with the bytes that come next
   */
  constructor(
    memory: LinearMemory,
    bytes: number,
    length: number,
    read: (into: Uint8Array) => void,
  ) {
    this.#memory = memory;
    this.#bytes = Math.min(bytes, length);
    this.#length = length;
    this.#read = read;
    this.#offset = memory.allocate(this.#bytes + slack);
  }

  /**
   * Where the part would begin for `bytes` from `position` on to lie in their place, which they do, if there are as many.
   * What is before them may be gone.
   */
  at(position: number, bytes: number): number {
    if (this.#end < this.#length && this.#end - position < bytes) {
      const window = new Uint8Array(this.#memory.buffer, this.#offset, this.#bytes);
      window.copyWithin(0, position - this.#from, this.#end - this.#from);
      this.#from = position;
      const end = Math.min(position + this.#bytes, this.#length);
      this.#read(window.subarray(this.#end - position, end - position));
      this.#end = end;
    }
    return this.#offset - this.#from;
  }

  free(): void {
    this.#memory.free(this.#offset, this.#bytes + slack);
  }
}
