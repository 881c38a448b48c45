import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import type { IndexPlaces } from './index-places.js';
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
