import type { State } from '../../core/training/state.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { RowList } from './row-list.js';

/** Maps feature fingerprints to rows of the parameter store. */
export interface FeatureIndex {
  /**
   * Mode: `exact` gives each feature its own row; `hashed` shares a fixed number of rows among all
   * features.
   */
  readonly mode: 'exact' | 'hashed';
  /** Whether new features get their own rows: see `GrowingIndex`. */
  readonly canGrow: boolean;
  /** Memory of the index, which must also contain the lists passed to it. */
  readonly memory: LinearMemory;
  /** Number of rows in use, which is the row of the next new feature. */
  readonly size: number;
  /**
   * Writes the known rows of a list's features to `rows`, in list order; `rows` must be open for the
   * list. Row `r` of the index becomes `firstRow + r`.
   */
  findAll(list: FingerprintList, firstRow: number, rows: RowList): void;
  /**
   * Does the same as `findAll`, and adds rows for new features; a feature gets a row only once it
   * has been seen often enough.
   */
  internAll(list: FingerprintList, firstRow: number, rows: RowList): void;
  save(): State;
}

/** Number of fingerprints looked up at a time. */
const chunk = 4096;

/**
 * Returns the row of each fingerprint in an index, or -1; does not modify the index.
 *
 * @param fingerprints fingerprints, alternating lo and hi, none of them 0
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
