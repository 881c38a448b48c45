import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import type { RowList } from './row-list.js';

/** An index that the kernel looks up in by itself. */
export interface PlacedIndex extends FeatureIndex {
  /** Where the kernel finds its fingerprints and rows, until it grows: see `findRows`. */
  readonly places: IndexPlaces;
}

export function isPlaced(index: FeatureIndex): index is PlacedIndex {
  return 'places' in index;
}

/** `FeatureIndex.findAll` of a placed index. */
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
 * The entries of an index and its filter (0: none), as addresses, and their sizes less one. Where
 * the entries are packed, the complement of the first size less one.
 */
export interface IndexPlaces {
  readonly table: number;
  readonly mask: number;
  readonly filter: number;
  readonly filterMask: number;
}

/** Where the kernel counts entries and rows and notes new ones, as addresses, and how many entries there may be. */
export interface IndexGrowth {
  readonly counts: number;
  readonly most: number;
  /** 0 where they are not noted. */
  readonly fresh: number;
  /** The row that the first that is noted has. */
  readonly freshRow: number;
}
