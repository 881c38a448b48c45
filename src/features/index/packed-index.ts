import type { State } from '../../core/training/state.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { allocateFilter, filterBytes, mostIndexEntries } from './index-table.js';
import { fitTogether } from './packed-keys.js';
import { findPlaced, type IndexPlaces, type PlacedIndex } from './placed-index.js';
import type { RowList } from './row-list.js';

/**
 * Parts of packed fingerprints: `buckets`, `highs` and `rests`, and `numbers` with the row of each
 * as a varint (LEB128).
 */
export type PackedPart = 'buckets' | 'highs' | 'rests' | 'numbers';

/** Packed fingerprints, each with a row, which several may share. */
export interface PackedEntries {
  /** See `PackedKeys.bits`. */
  readonly bits: number;
  /** Number of rows. */
  readonly rows: number;
  /** Length of each part in bytes. */
  readonly lengths: Readonly<Record<PackedPart, number>>;
  /** Opens a part at its beginning; the returned function fills its argument with the next bytes. */
  open(part: PackedPart): (into: Uint8Array) => void;
}

/** Number of bytes of a fingerprint with its row. */
const entryBytes = 8;

/**
 * Number of marks per call: the engine optimises the code between calls, but continues to run the
 * unoptimised code within a call.
 */
const atATime = 2 ** 13;

/** Number of fingerprints read at a time. */
const readAtATime = 2 ** 15;

/** Maximum bytes of a row in `numbers`. */
const mostNumberBytes = 5;

/** Number of bytes of the progress record of `placeKeys`. */
const progressBytes = 24;

/** Number of bytes of the windows, and of other allocations in the meantime. */
const windowBytes = (4 + 2 + mostNumberBytes) * readAtATime + 512;

/**
 * A read-only index of features, which may share rows, over the packed fingerprints of a model
 * file. An entry takes 8 bytes, half of one in `ExactIndex`, so insertion and lookup cause fewer
 * cache misses.
 */
export class PackedIndex implements PlacedIndex {
  readonly mode = 'exact';
  readonly canGrow = false;
  readonly memory: LinearMemory;
  readonly size: number;
  readonly places: IndexPlaces;

  private constructor(memory: LinearMemory, rows: number, places: IndexPlaces) {
    this.memory = memory;
    this.size = rows;
    this.places = places;
  }

  /**
   * Builds an index of packed fingerprints. Returns undefined if the fingerprints, their order or
   * their rows are invalid, or if an entry is too short to distinguish two of them, which happens
   * in about one in ten million models. Cost O(fingerprints).
   */
  static of(entries: PackedEntries, memory: LinearMemory): PackedIndex | undefined {
    const { bits, rows, lengths } = entries;
    if (!fitTogether(bits, lengths)) return undefined;
    const count = lengths.highs;
    // Each fingerprint must have a place in the table, and its entry room for its row.
    if (count > mostIndexEntries(2 ** bits) || rows >= 2 ** bits) return undefined;
    memory.expect(2 ** bits * entryBytes + filterBytes(count) + lengths.buckets + windowBytes);
    const table = memory.allocate(2 ** bits * entryBytes, true);
    const filter = allocateFilter(memory, count);
    const progress = memory.allocate(progressBytes);
    const windowOf = (part: PackedPart, bytes: number, length: number) =>
      new PartWindow(memory, bytes, length, entries.open(part));
    const marks = windowOf('buckets', lengths.buckets, lengths.buckets);
    const highs = windowOf('highs', 4 * readAtATime, 4 * count);
    const rests = windowOf('rests', 2 * readAtATime, 2 * count);
    const numbers = windowOf('numbers', mostNumberBytes * readAtATime, lengths.numbers);
    const markBits = 8 * lengths.buckets;
    const { placeKeys } = featureFunctions(memory);
    const placed = new Uint32Array(memory.buffer, progress, progressBytes / 4);
    let areRight = true;
    for (let from = 0; areRight && from < markBits; from += atATime) {
      const until = Math.min(from + atATime, markBits);
      const next = placed[1]!;
      areRight =
        placeKeys(
          ...[table, bits, marks.at(0, lengths.buckets), from, until, markBits],
          ...[highs.at(4 * next, 4 * atATime), rests.at(2 * next, 2 * atATime), count],
          ...[numbers.at(placed[2]!, mostNumberBytes * atATime), lengths.numbers, rows],
          ...[filter.offset, filter.mask, progress],
        ) !== 0;
    }
    for (const window of [marks, highs, rests, numbers]) window.free();
    memory.free(progress, progressBytes);
    if (!areRight) return undefined;
    const mask = ~(2 ** bits - 1);
    return new PackedIndex(memory, rows, {
      ...{ table, mask, filter: filter.offset, filterMask: filter.mask },
    });
  }

  findAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    findPlaced(this, list, firstRow, rows);
  }

  /** Does the same as `findAll`, as the index does not grow. */
  internAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    this.findAll(list, firstRow, rows);
  }

  /** @throws TypeError always */
  save(): State {
    throw new TypeError('packed features come from a model file and cannot be saved again');
  }
}

/** Number of adjacent bytes that may be read. */
const slack = 4;

/** A part of a file that is read sequentially, keeping a limited number of bytes in memory. */
export class PartWindow {
  readonly #memory: LinearMemory;
  readonly #bytes: number;
  readonly #length: number;
  readonly #read: (into: Uint8Array) => void;
  readonly #offset: number;
  #from = 0;
  #end = 0;

  /**
   * @param bytes maximum size of the window
   * @param length size of the part in bytes
   * @param read fills its argument with the next bytes
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
   * Loads up to `bytes` bytes from `position` on, and returns the address that the start of the
   * part would have. Earlier bytes may be gone.
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
