import type { State } from '../../core/training/state.js';
import { copiedBytes } from '../../kernels/memory/copied-bytes.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { IndexPlaces } from './index-places.js';
import { allocateFilter, filterBytes } from './index-table.js';
import { mostIndexEntries } from './most-index-entries.js';
import { fitTogether, type PackedKeys } from './packed-keys.js';
import { findPlaced, type PlacedIndex } from './placed-index.js';
import type { RowList } from './row-list.js';

/** Packed fingerprints with a row for each, which several may have. */
export interface PackedEntries {
  readonly keys: PackedKeys;
  /** The row of each, in bytes of seven bits, low ones first; the top bit says that more follow. */
  readonly numbers: Uint8Array;
  /** Rows that there are. */
  readonly rows: number;
}

/** Bytes of a fingerprint and its row. */
const entryBytes = 8;

/**
 * Marks of one call: code is compiled well while it runs, and takes the place of what was compiled fast with the next
 * call.
 */
const atATime = 2 ** 13;

/** Bytes that a region may take beside its own. */
const slack = 64;

/**
 * An index of features that are known once and for all, which may have rows in common, over packed fingerprints as they
 * stand in a model file. An entry is 8 bytes, half of one of `ExactIndex`, so that it is placed and looked up with
 * fewer misses.
 */
export class PackedIndex implements PlacedIndex {
  readonly mode = 'exact';
  readonly memory: LinearMemory;
  readonly size: number;
  readonly places: IndexPlaces;

  private constructor(memory: LinearMemory, rows: number, places: IndexPlaces) {
    this.memory = memory;
    this.size = rows;
    this.places = places;
  }

  /**
   * Undefined where the fingerprints, their order or their rows are wrong; or where an entry is too short to distinguish
   * two of them, which happens to one in some ten million models. Cost O(fingerprints).
   */
  static of({ keys, numbers, rows }: PackedEntries, memory: LinearMemory): PackedIndex | undefined {
    if (!fitTogether(keys)) return undefined;
    const { bits, buckets, highs, rests } = keys;
    const count = highs.length;
    // Each has a place in the table, and room for its row beside what else an entry holds.
    if (count > mostIndexEntries(2 ** bits) || rows >= 2 ** bits) return undefined;
    const parts = [buckets, highs, rests, numbers];
    const copies = parts.reduce((sum, { byteLength }) => sum + byteLength + slack, 0);
    memory.expect(copies + 2 ** bits * entryBytes + filterBytes(count));
    const [marks, first, others, row] = parts.map(part => copiedBytes(part, memory)) as Four;
    const table = memory.allocate(2 ** bits * entryBytes, true);
    const filter = allocateFilter(memory, count);
    const markBits = 8 * buckets.length;
    const { placeKeys } = featureFunctions(memory);
    let areRight = true;
    for (let from = 0; areRight && from < markBits; from += atATime) {
      const until = Math.min(from + atATime, markBits);
      areRight =
        placeKeys(
          ...[table, bits, marks, from, until, markBits],
          ...[first, others, count, row, row + numbers.length, rows],
          ...[filter.offset, filter.mask],
        ) !== 0;
    }
    for (const [i, offset] of [marks, first, others, row].entries()) {
      memory.free(offset, parts[i]!.byteLength);
    }
    if (!areRight) return undefined;
    const mask = ~(2 ** bits - 1);
    return new PackedIndex(memory, rows, {
      ...{ table, mask, filter: filter.offset, filterMask: filter.mask },
    });
  }

  findAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    findPlaced(this, list, firstRow, rows);
  }

  /** The same: nothing is new here. */
  internAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    this.findAll(list, firstRow, rows);
  }

  /** @throws TypeError */
  save(): State {
    throw new TypeError('packed features are those of a model file, and are not saved again');
  }
}

type Four = [number, number, number, number];
