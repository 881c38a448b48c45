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

/**
 * An index that gives each new feature a row of its own, in the order in which features reach the cutoff, and notes
 * their fingerprints. `prune` and `evict` take features away again; their rows go to those that come next, the lowest
 * first, and all others keep theirs.
 */
export interface GrowingIndex extends PlacedIndex {
  /** A feature gets a row when it is seen for the `cutoff`th time. */
  readonly cutoff: number;
  /** Features that it knows, those below the cutoff among them. */
  readonly entries: number;
  /** Whether features can go again: it then notes which are seen. */
  readonly prunes: boolean;
  /** Whether rows are the next ones, at the first time that features are met: see `growth`. */
  readonly onlyGrows: boolean;
  /** How it grows, until it has to make room: see `internTexts`. For one that `onlyGrows`. */
  readonly growth: IndexGrowth;
  /** Makes room for `more` new features. */
  makeRoom(more: number): void;
  /**
   * Fingerprints, lo and hi in turn, of the rows that were given since the last call, row by row. The
   * first call gives none; from then on the index notes them.
   */
  takeNew(): Uint32Array<ArrayBuffer>;
  /** Rows that were free and have been given to other features since the last call. */
  takeReused(): Uint32Array;
  /** Fingerprints by row: lo and hi in turn; 0 and 0 for a row that is free. */
  fingerprints(): Uint32Array;
  /**
   * Forgets the features that were not seen since the last pruning and have no weight; among them those
   * below the cutoff. Cost O(table).
   *
   * @param hasWeight for each row whether it has to stay
   * @returns the rows that are free now and were not before, in ascending order
   */
  prune(hasWeight: Uint8Array): Uint32Array;
  /**
   * Forgets features until `most` are known: those of least worth by `entryWorth`, the first in the table of
   * equals. Cost O(table).
   *
   * @param strengths for each row how large its weights are; infinite where it has to stay
   * @returns the rows that are free now and were not before, in ascending order
   */
  evict(strengths: Float32Array, most: number): Uint32Array;
  /**
   * Forgets all features but those of some rows, which are renumbered in their order. Cost O(table).
   *
   * @param kept for each row whether its feature stays
   * @returns for each old row its new one, or -1
   */
  retain(kept: Uint8Array): Int32Array;
}

export function canGrow(index: FeatureIndex): index is GrowingIndex {
  return index.canGrow;
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
