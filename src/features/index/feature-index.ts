import type { State } from '../../core/training/state.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { RowList } from './row-list.js';

/** Maps feature fingerprints to rows of the parameter store. */
export interface FeatureIndex {
  /** `exact` gives each feature its own row; `hashed` divides a fixed number of rows among all. */
  readonly mode: 'exact' | 'hashed';
  /** Whether new features get rows of their own: see `GrowingIndex`. */
  readonly canGrow: boolean;
  /** Where it works; lists that it is given lie there too. */
  readonly memory: LinearMemory;
  /** Rows in use; the next new feature gets this row. */
  readonly size: number;
  /**
   * Rows of all features of a list that have one, in the order of the list, into `rows`, which is open
   * for it. Row `r` of the index is given as `firstRow + r`.
   */
  findAll(list: FingerprintList, firstRow: number, rows: RowList): void;
  /** The same, with new rows where need be; a feature has none until it has been seen often enough. */
  internAll(list: FingerprintList, firstRow: number, rows: RowList): void;
  save(): State;
}

/** Fingerprints that are looked up at once. */
const chunk = 4096;

/**
 * The row of each of some fingerprints in an index, or -1 where it has none; the index stays as it is.
 *
 * @param fingerprints lo and hi in turn, none of them 0
 */
export function findFingerprints(index: FeatureIndex, fingerprints: Uint32Array): Int32Array {
  const rows = new Int32Array(fingerprints.length / 2).fill(-1);
  const list = new FingerprintList(index.memory);
  const found = new RowList(index.memory);
  for (let from = 0; from < rows.length; from += chunk) {
    const part = fingerprints.subarray(2 * from, 2 * (from + chunk));
    list.open(part.length / 2, 1);
    found.open(list.length, list.places, true);
    list.words().set(part);
    index.findAll(list, 0, found);
    const known = found.take(list.length, undefined).rows;
    const places = found.takePlaces(list.length);
    for (let i = 0; i < known.length; i += 1) rows[from + places[i]!] = known[i]!;
  }
  return rows;
}
