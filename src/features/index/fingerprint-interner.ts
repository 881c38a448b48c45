import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import { RowList } from './row-list.js';

/** Fingerprints that are interned at once. */
const chunk = 4096;

/** Gives fingerprints that come without sentences, as from a file or another thread, their rows. */
export class FingerprintInterner {
  readonly #index: FeatureIndex;
  readonly #list: FingerprintList;
  readonly #found: RowList;

  /** @param index gives each feature a row when it comes for the first time */
  constructor(index: FeatureIndex) {
    this.#index = index;
    this.#list = new FingerprintList(index.memory);
    this.#found = new RowList(index.memory);
  }

  /**
   * The row of each fingerprint, a new one if need be; new rows follow in the order of the fingerprints.
   *
   * @param fingerprints lo and hi in turn, none of them 0
   */
  rowsOf(fingerprints: Uint32Array): Uint32Array {
    const rows = new Uint32Array(fingerprints.length / 2);
    const list = this.#list;
    for (let from = 0; from < rows.length; from += chunk) {
      const part = fingerprints.subarray(2 * from, 2 * (from + chunk));
      list.open(part.length / 2, 1);
      this.#found.open(list.length, list.places, false);
      list.words().set(part);
      this.#index.internAll(list, 0, this.#found);
      rows.set(this.#found.take(list.length, undefined).rows, from);
    }
    return rows;
  }
}
