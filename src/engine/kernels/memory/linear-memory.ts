import { TagstreamError } from '../../core/errors.js';

/** Maximum number of spare pages on growth (4 MiB); otherwise a quarter of the required memory. */
const mostSpare = 64;

const pageSize = 65536;
const maximumPages = 65536;
const alignment = 64;

/** The smallest page size of operating systems. */
const systemPage = 4096;

/**
 * One WebAssembly memory with a first-fit allocator, so that kernels in WebAssembly and in TypeScript see the same
 * numbers. Growing detaches all views: take them through `RealTable.view`, once per batch.
 *
 * `share` lets several threads use it, each through its own `LinearMemory`. The end of the allocated part is then an
 * atomic number in the first word, in units of 64 bytes; each thread reuses what it frees. Growing leaves old views
 * too short: call `refresh` when another thread may have grown the memory.
 */
export class LinearMemory {
  /** Free regions by offset, none adjacent to another. */
  readonly #free: { offset: number; bytes: number }[] = [];
  #memory: WasmMemory;
  #buffer: ArrayBuffer;
  #words = new Uint32Array(0);
  #top = alignment;
  /** The end of the allocated part in units of 64 bytes, if threads share the memory. */
  #sharedTop: Int32Array | undefined;

  /** @param shared the memory of another thread, for use by this thread too */
  constructor(shared?: WasmMemory) {
    this.#memory = shared ?? new WebAssembly.Memory({ initial: 1, maximum: maximumPages });
    this.#buffer = this.#memory.buffer as ArrayBuffer;
    if (shared !== undefined) this.#sharedTop = new Int32Array(shared.buffer, 0, 1);
  }

  /** Replaced by `share`. */
  get memory(): WasmMemory {
    return this.#memory;
  }

  /**
   * The buffer, cached because reading it from a memory is slow; after growth, the old buffer is detached or too
   * short.
   */
  get buffer(): ArrayBuffer {
    if (this.#buffer.byteLength === 0) this.#buffer = this.#memory.buffer as ArrayBuffer;
    return this.#buffer;
  }

  /**
   * All memory as words, cached: creating a view for each sentence would cost more than copying its rows.
   */
  get words(): Uint32Array<ArrayBuffer> {
    const { buffer } = this;
    if (this.#words.buffer !== buffer) this.#words = new Uint32Array(buffer);
    return this.#words;
  }

  get isShared(): boolean {
    return this.#sharedTop !== undefined;
  }

  /** Moves the contents to a memory that threads can share, at the same offsets; old views become invalid. */
  share(): void {
    if (this.isShared) return;
    const initial = this.buffer.byteLength / pageSize;
    const memory = new WebAssembly.Memory({ initial, maximum: maximumPages, shared: true });
    new Uint8Array(memory.buffer).set(new Uint8Array(this.buffer));
    this.#memory = memory;
    this.#buffer = memory.buffer as unknown as ArrayBuffer;
    this.#sharedTop = new Int32Array(memory.buffer, 0, 1);
    this.#sharedTop[0] = this.#top / alignment;
  }

  /** Extends the buffer to `end`, after another thread allocated up to there. */
  refresh(end: number): void {
    if (this.buffer.byteLength >= end) return;
    this.#memory.grow(0);
    this.#buffer = this.#memory.buffer as ArrayBuffer;
  }

  /**
   * Allocates a zeroed region of at least `bytes` bytes; returns its offset, a multiple of 64.
   *
   * @param isReadFirst whether the region is read before it is written: fresh pages would then be mapped twice, with
   * a TLB shootdown, so they are written at once
   * @throws TagstreamError `too-large` if the 4 GiB of a WebAssembly memory are used up
   */
  allocate(bytes: number, isReadFirst = false): number {
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
    const used = this.#takeLast(size);
    const offset = this.#takeAfter(used, size - used);
    if (used > 0) new Uint8Array(this.buffer, offset, used).fill(0);
    if (isReadFirst) this.#map(offset + used, offset + size);
    return offset;
  }

  /**
   * Grows the memory once for the coming allocations, because each growth may trigger a collection of the whole
   * heap.
   *
   * @throws TagstreamError `too-large` as `allocate`
   */
  expect(bytes: number): void {
    if (!this.isShared) this.#reach(this.#top + bytes, 0);
  }

  /** Frees a region; `bytes` must be as passed to `allocate`. */
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

  /** Writes to each unused system page between two offsets. */
  #map(from: number, end: number): void {
    const bytes = new Uint8Array(this.buffer, from, end - from);
    for (let at = 0; at < bytes.length; at += systemPage) bytes[at] = 0;
    if (bytes.length > 0) bytes[bytes.length - 1] = 0;
  }

  /** Grows the memory by this number of pages; returns whether that was possible. */
  #grow(pages: number): boolean {
    try {
      this.#memory.grow(pages);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Takes the free region at the end of the allocated part, if it is smaller than `size`; returns its size in bytes,
   * or 0 if there is none.
   */
  #takeLast(size: number): number {
    const last = this.#free.at(-1);
    if (this.isShared || last === undefined || last.offset + last.bytes !== this.#top) return 0;
    if (last.bytes >= size) return 0;
    this.#free.pop();
    return last.bytes;
  }

  /** Takes `more` bytes after the `used` bytes at the end, which become free again if there is no room. */
  #takeAfter(used: number, more: number): number {
    try {
      return this.#take(more) - used;
    } catch (error) {
      this.free(this.#top - used, used);
      throw error;
    }
  }

  /** Takes memory that was never allocated. */
  #take(size: number): number {
    if (this.#sharedTop === undefined) {
      const offset = this.#top;
      this.#reach(offset + size);
      this.#top = offset + size;
      return offset;
    }
    const units = Atomics.add(this.#sharedTop, 0, size / alignment);
    const offset = units * alignment;
    this.refresh(offset + size);
    this.#reach(offset + size);
    return offset;
  }

  #mergeAt(at: number): void {
    const region = this.#free[at]!;
    const next = this.#free[at + 1];
    if (next !== undefined && region.offset + region.bytes === next.offset) {
      region.bytes += next.bytes;
      this.#free.splice(at + 1, 1);
    }
  }

  #reach(end: number, mostMore = mostSpare): void {
    const missing = end - this.buffer.byteLength;
    if (missing <= 0) return;
    const pages = Math.ceil(missing / pageSize);
    try {
      // Each growth triggers a collection of the whole heap; untouched pages cost nothing.
      const spare = Math.min(mostMore, Math.floor(end / pageSize / 4));
      if (!this.#grow(pages + spare)) this.#memory.grow(pages);
      this.#buffer = this.#memory.buffer as ArrayBuffer;
    } catch (cause) {
      const gibibytes = (end / 2 ** 30).toFixed(2);
      throw new TagstreamError('too-large', `the parameters need ${gibibytes} GiB of memory`, {
        fix: 'a model can take at most 4 GiB: raise the cutoff, use support: observed or a hashed index',
        cause,
      });
    }
  }
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

/** The used part of `WebAssembly.Memory`, whose type belongs to the DOM types, which programs for Node may lack. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
