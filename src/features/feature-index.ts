import type { State } from '../core/state.js';
import type { FingerprintList } from './fingerprint-list.js';

/** Maps feature fingerprints to rows of the parameter store. */
export interface FeatureIndex {
  /** `exact` gives each feature its own row; `hashed` divides a fixed number of rows among all. */
  readonly mode: 'exact' | 'hashed';
  /** Rows in use; the next new feature gets this row. */
  readonly size: number;
  /** Row of a feature, or -1 if it has none. */
  find(lo: number, hi: number): number;
  /** Row of a feature, a new one if need be; -1 while it has not been seen often enough. */
  intern(lo: number, hi: number): number;
  /** Rows of all features of a list, -1 where there is none, into `rows`. */
  findAll(list: FingerprintList, rows: Int32Array): void;
  /** The same, with new rows where need be, in the order of the list. */
  internAll(list: FingerprintList, rows: Int32Array): void;
  save(): State;
}
