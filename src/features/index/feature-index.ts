import type { State } from '../../core/training/state.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { RowList } from './row-list.js';

/** Maps feature fingerprints to rows of the parameter store. */
export interface FeatureIndex {
  /** `exact` gives each feature its own row; `hashed` divides a fixed number of rows among all. */
  readonly mode: 'exact' | 'hashed';
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
