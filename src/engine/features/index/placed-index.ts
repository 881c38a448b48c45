import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import type { RowList } from './row-list.js';

/** An index that the kernel can search directly. */
export interface PlacedIndex extends FeatureIndex {
  /**
   * Addresses of the index's fingerprints and rows for the kernel; valid until the index grows. See
   * `findRows`.
   */
  readonly places: IndexPlaces;
}

export function isPlaced(index: FeatureIndex): index is PlacedIndex {
  return 'places' in index;
}

/**
 * An index that gives each new feature its own row, in the order in which features reach the
 * cutoff, and records their fingerprints. `prune` and `evict` remove features, whose rows are
 * reused for new features, the lowest first; all other features keep their rows.
 */
export interface GrowingIndex extends PlacedIndex {
  /** Number of times that a feature must be seen before it gets a row. */
  readonly cutoff: number;
  /** Number of known features, including those below the cutoff. */
  readonly entries: number;
  /** Whether features can be removed, for which the index records which features are seen. */
  readonly prunes: boolean;
  /** Whether features get the next row at their first occurrence: see `growth`. */
  readonly onlyGrows: boolean;
  /**
   * Addresses with which an index that `onlyGrows` grows until it runs out of room: see
   * `internTexts`.
   */
  readonly growth: IndexGrowth;
  /** Makes room for `more` new features. */
  makeRoom(more: number): void;
  /**
   * Returns the fingerprints, alternating lo and hi, of the rows assigned since the last call, row
   * by row. The first call returns none, and makes the index record them.
   */
  takeNew(): Uint32Array<ArrayBuffer>;
  /** Returns the freed rows that were reassigned to other features since the last call. */
  takeReused(): Uint32Array;
  /** Returns fingerprints by row, alternating lo and hi; 0 and 0 for a free row. */
  fingerprints(): Uint32Array;
  /**
   * Removes the features, including those below the cutoff, that were not seen since the last
   * pruning and have no weight. Cost O(table).
   *
   * @param hasWeight whether each row must be kept
   * @returns the newly freed rows, in ascending order
   */
  prune(hasWeight: Uint8Array): Uint32Array;
  /**
   * Removes features until `most` are left, starting with those of least `entryWorth`, ties in
   * table order. Cost O(table).
   *
   * @param strengths size of each row's weights; infinity if the row must be kept
   * @returns the newly freed rows, in ascending order
   */
  evict(strengths: Float32Array, most: number): Uint32Array;
  /**
   * Removes all features except those of some rows, which are renumbered in order. Cost O(table).
   *
   * @param kept whether to keep the feature of each row
   * @returns new row of each old row, or -1
   */
  retain(kept: Uint8Array): Int32Array;
}

export function canGrow(index: FeatureIndex): index is GrowingIndex {
  return index.canGrow;
}

/** Does the same as `FeatureIndex.findAll`, for a placed index. */
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
 * Addresses of an index's entries and of its filter (0 if there is none), and their sizes minus
 * one. If the entries are packed, `mask` is minus the number of buckets of their directory, `filter`
 * the address of the directory, and `filterMask` the number of bits by which words are rotated.
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
  /** Address of the recorded fingerprints; 0 if they are not recorded. */
  readonly fresh: number;
  /** Row of the first recorded fingerprint. */
  readonly freshRow: number;
}
