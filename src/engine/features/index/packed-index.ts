import type { State } from '../../core/training/state.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { bucketSize, directoryBits, fitTogether, hasRoom, type PackedPart } from './packed-keys.js';
import { findPlaced, type IndexPlaces, type PlacedIndex } from './placed-index.js';
import type { RowList } from './row-list.js';

/** Packed fingerprints, each with a row, which several may share. */
export interface PackedEntries {
  /** `Directory.bits`; undefined in an older file. */
  readonly directory: number | undefined;
  /** `OlderKeys.bits`; undefined if there is a directory. */
  readonly bits: number | undefined;
  /** Number of fingerprints. */
  readonly count: number;
  /** Number of rows. */
  readonly rows: number;
  /** Returns the number of elements of a part. */
  lengthOf(part: PackedPart): number;
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
 * Number of bytes of a group of four buckets of a directory in memory: their numbers, and the number of
 * entries before them.
 */
const groupBytes = 12;

/** Number of bytes for what is allocated next, so that the first text does not make the memory grow. */
const spareBytes = 2 ** 20;

/**
 * A read-only index of features, which may share rows, over the packed fingerprints of a model
 * file. It takes 9.5 to 11 bytes per feature, and most absent features cost a single access to its
 * directory: see `Directory`.
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
   * their rows are invalid, or if they do not fit into a directory. If they are stored with their
   * directory, only what lookups rely on is checked; `unpackKeys` checks the rest. Cost
   * O(fingerprints).
   */
  static of(packed: PackedEntries, memory: LinearMemory): PackedIndex | undefined {
    const { count, rows, bits: older } = packed;
    const bits = packed.directory ?? directoryBits(count, rows);
    if (bits === undefined || !hasRoom(bits, rows)) return undefined;
    const directoryBytes = groupBytes * (2 ** bits / 4 + 1);
    const more = older === undefined ? 0 : packed.lengthOf('buckets') + windowBytes;
    memory.expect(count * entryBytes + directoryBytes + more + spareBytes);
    const table = memory.allocate(count * entryBytes);
    const filter = memory.allocate(directoryBytes, older !== undefined);
    const places = { table, mask: -(2 ** bits), filter };
    const turn = older === undefined ? 0 : 32 - older;
    const index = new PackedIndex(memory, rows, { ...places, filterMask: turn });
    const isRead = older === undefined ? index.#read(packed) : index.#place(packed, bits, older);
    const { linkEntries } = featureFunctions(memory);
    return isRead && linkEntries(table, count, rows, filter, bits) !== 0 ? index : undefined;
  }

  /** The address at which `linkEntries` expects the numbers of the buckets. */
  get #bucketNumbers(): number {
    const { filter, mask } = this.places;
    return filter - mask;
  }

  /** Reads entries and a directory as stored; returns false if they are inconsistent. */
  #read({ count, lengthOf, open }: PackedEntries): boolean {
    const { table, mask } = this.places;
    if (lengthOf('entries') !== 2 * count || lengthOf('directory') !== -mask) return false;
    const { buffer } = this.memory;
    open('entries')(new Uint8Array(buffer, table, count * entryBytes));
    const numbers = new Uint16Array(buffer, this.#bucketNumbers, -mask);
    open('directory')(new Uint8Array(buffer, numbers.byteOffset, numbers.byteLength));
    // Fingerprint 0 means no feature, and is often looked up. It would be in the first bucket.
    const first = new Uint32Array(buffer, table, 2 * Math.min(bucketSize(numbers[0]!), count));
    return !first.some((word, i) => i % 2 === 1 && word === 0 && first[i - 1]! < -mask);
  }

  /** Builds entries and their directory of `OlderKeys`; returns false if they are invalid. */
  #place(packed: PackedEntries, bits: number, older: number): boolean {
    const { count, rows, lengthOf } = packed;
    const { memory } = this;
    const { table } = this.places;
    const lengths = {
      buckets: lengthOf('buckets'),
      highs: lengthOf('highs'),
      rests: lengthOf('rests'),
      numbers: lengthOf('numbers'),
    };
    if (lengths.highs !== count || !fitTogether(older, lengths)) return false;
    const progress = memory.allocate(progressBytes);
    const windowOf = (part: PackedPart, bytes: number, length: number) =>
      new PartWindow(memory, bytes, length, packed.open(part));
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
          ...[table, this.#bucketNumbers, bits, older],
          ...[marks.at(0, lengths.buckets), from, until, markBits],
          ...[highs.at(4 * next, 4 * atATime), rests.at(2 * next, 2 * atATime), count],
          ...[numbers.at(placed[2]!, mostNumberBytes * atATime), lengths.numbers, rows, progress],
        ) !== 0;
    }
    for (const window of [marks, highs, rests, numbers]) window.free();
    memory.free(progress, progressBytes);
    return areRight;
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
