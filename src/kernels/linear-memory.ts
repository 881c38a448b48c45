import { TagstreamError } from '../core/errors.js';

const pageSize = 65536;
const maximumPages = 65536;
const alignment = 64;

/**
 * One WebAssembly memory with a first-fit allocator, so that kernels written in WebAssembly and in
 * TypeScript see the same numbers. Growing detaches all views: take them through `RealTable.view`,
 * once for each batch.
 */
export class LinearMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1, maximum: maximumPages });
  /** Free regions by offset, none touching another. */
  readonly #free: { offset: number; bytes: number }[] = [];
  #top = alignment;

  get buffer(): ArrayBuffer {
    return this.memory.buffer as ArrayBuffer;
  }

  /**
   * A zeroed region of at least `bytes` bytes; returns its offset, a multiple of 64.
   *
   * @throws TagstreamError `too-large` where the 4 GiB of a WebAssembly memory are used up
   */
  allocate(bytes: number): number {
    const size = rounded(bytes);
    const hole = this.#free.findIndex(region => region.bytes >= size);
    if (hole >= 0) {
      const region = this.#free[hole]!;
      const offset = region.offset;
      region.offset += size;
      region.bytes -= size;
      if (region.bytes === 0) this.#free.splice(hole, 1);
      new Uint8Array(this.buffer, offset, size).fill(0);
      return offset;
    }
    const offset = this.#top;
    this.#reach(offset + size);
    this.#top = offset + size;
    return offset;
  }

  /** Gives a region back; `bytes` as it was asked for. */
  free(offset: number, bytes: number): void {
    const size = rounded(bytes);
    if (size === 0) return;
    const regions = this.#free;
    let at = 0;
    while (at < regions.length && regions[at]!.offset < offset) at += 1;
    regions.splice(at, 0, { offset, bytes: size });
    this.#mergeAt(at);
    if (at > 0) this.#mergeAt(at - 1);
  }

  #mergeAt(at: number): void {
    const region = this.#free[at]!;
    const next = this.#free[at + 1];
    if (next !== undefined && region.offset + region.bytes === next.offset) {
      region.bytes += next.bytes;
      this.#free.splice(at + 1, 1);
    }
  }

  #reach(end: number): void {
    const missing = end - this.buffer.byteLength;
    if (missing <= 0) return;
    const pages = Math.ceil(missing / pageSize);
    try {
      this.memory.grow(pages);
    } catch (cause) {
      const gibibytes = (end / 2 ** 30).toFixed(2);
      throw new TagstreamError('too-large', `the parameters need ${gibibytes} GiB of memory`, {
        fix: 'a model has at most 4 GiB: raise the cutoff, use support: observed or a hashed index',
        cause,
      });
    }
  }
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
