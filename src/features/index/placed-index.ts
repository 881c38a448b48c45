import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import type { RowList } from './row-list.js';

/** An index that the kernel can search directly. */
export interface PlacedIndex extends FeatureIndex {
  /** Where the kernel finds its fingerprints and rows; valid until it grows. See `findRows`. */
  readonly places: IndexPlaces;
}

export function isPlaced(index: FeatureIndex): index is PlacedIndex {
  return 'places' in index;
}

/**
 * An index that gives each new feature its own row, in the order in which features reach the cutoff, and records
 * their fingerprints. `prune` and `evict` remove features; their rows are reused for new ones, the lowest first, and
 * all other features keep theirs.
 */
export interface GrowingIndex extends PlacedIndex {
  /** A feature gets a row when it is seen for the `cutoff`th time. */
  readonly cutoff: number;
  /** Number of features that it knows, including those below the cutoff. */
  readonly entries: number;
  /** Whether features can be removed: then it records which are seen. */
  readonly prunes: boolean;
  /** Whether features get the next row at their first occurrence: see `growth`. */
  readonly onlyGrows: boolean;
  /** How it grows until it runs out of room: see `internTexts`. For an index that `onlyGrows`. */
  readonly growth: IndexGrowth;
  /** Makes room for `more` new features. */
  makeRoom(more: number): void;
  /**
   * Returns the fingerprints, lo and hi in turn, of the rows assigned since the last call, row by
   * row. The first call returns none; it makes the index record them.
   */
  takeNew(): Uint32Array<ArrayBuffer>;
  /** Returns the freed rows that were reassigned to other features since the last call. */
  takeReused(): Uint32Array;
  /** Returns fingerprints by row: lo and hi in turn; 0 and 0 for a free row. */
  fingerprints(): Uint32Array;
  /**
   * Removes the features that were not seen since the last pruning and have no weight, including those
   * below the cutoff. Cost O(table).
   *
   * @param hasWeight for each row whether it must be kept
   * @returns the newly freed rows, in ascending order
   */
  prune(hasWeight: Uint8Array): Uint32Array;
  /**
   * Removes features until `most` are left: those of least worth by `entryWorth`, ties in table order. Cost
   * O(table).
   *
   * @param strengths the size of each row's weights; infinity if it must be kept
   * @returns the newly freed rows, in ascending order
   */
  evict(strengths: Float32Array, most: number): Uint32Array;
  /**
   * Removes all features except those of some rows, which are renumbered in order. Cost O(table).
   *
   * @param kept for each row whether to keep its feature
   * @returns for each old row its new one, or -1
   */
  retain(kept: Uint8Array): Int32Array;
}

export function canGrow(index: FeatureIndex): index is GrowingIndex {
  return index.canGrow;
}

/** `FeatureIndex.findAll` for a placed index. */
export function findPlaced(
  { memory, places }: PlacedIndex,
  { offset, length, templates }: FingerprintList,
  firstRow: number,
  { starts, rows, kept }: RowList,
): void {
  const { table, mask, filter, filterMask } = places;
  const { findRows } = featureFunctions(memory);
  findRows(
    table,
    mask,
    filter,
    filterMask,
    offset,
    length,
    templates,
    firstRow,
    starts,
    rows,
    kept,
  );
}

/**
 * The entries of an index and its filter (0: none), as addresses, and their sizes minus one. If the
 * entries are packed, the first size minus one is complemented.
 */
export interface IndexPlaces {
  readonly table: number;
  readonly mask: number;
  readonly filter: number;
  readonly filterMask: number;
}

/** Addresses at which the kernel counts entries and rows and records new ones, and the entry limit. */
export interface IndexGrowth {
  readonly counts: number;
  readonly most: number;
  /** 0 if they are not recorded. */
  readonly fresh: number;
  /** The row of the first recorded fingerprint. */
  readonly freshRow: number;
}
