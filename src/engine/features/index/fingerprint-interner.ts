import { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import { RowList } from './row-list.js';

/** Number of fingerprints interned at a time. */
const chunk = 4096;

/**
 * Assigns rows to fingerprints that come without sentences, for example from a file or another
 * thread.
 */
export class FingerprintInterner {
  readonly #index: FeatureIndex;
  readonly #list: FingerprintList;
  readonly #found: RowList;

  /** @param index index that gives each feature a row at its first occurrence */
  constructor(index: FeatureIndex) {
    this.#index = index;
    this.#list = new FingerprintList(index.memory);
    this.#found = new RowList(index.memory);
  }

  /**
   * Returns the row of each fingerprint, adding new rows in the order of the fingerprints if
   * necessary.
   *
   * @param fingerprints fingerprints, alternating lo and hi, none of them 0
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

/**
 * Maps rows of one index to those of another, which learns the first index's features as they are
 * added.
 */
export class RowMap {
  readonly #interner: FingerprintInterner;
  readonly #firstRow: number;
  #rows = new Uint32Array(1024);
  #size: number;

  /**
   * @param interner interner of the target index
   * @param firstRow number of the first row in both indexes; rows before it are unchanged
   */
  constructor(interner: FingerprintInterner, firstRow: number) {
    this.#interner = interner;
    this.#firstRow = firstRow;
    this.#size = firstRow;
    for (let row = 0; row < firstRow; row += 1) this.#rows[row] = row;
  }

  /** Adds the next features of the first index, row by row. */
  add(fingerprints: Uint32Array): void {
    const added = this.#interner.rowsOf(fingerprints);
    const size = this.#size + added.length;
    if (size > this.#rows.length) {
      const grown = new Uint32Array(Math.max(size, 2 * this.#rows.length));
      grown.set(this.#rows.subarray(0, this.#size));
      this.#rows = grown;
    }
    for (let i = 0; i < added.length; i += 1) {
      this.#rows[this.#size + i] = added[i]! + this.#firstRow;
    }
    this.#size = size;
  }

  /** Replaces rows of the first index with those of the other, in place. */
  apply(rows: Uint32Array): void {
    const map = this.#rows;
    for (let i = 0; i < rows.length; i += 1) rows[i] = map[rows[i]!]!;
  }
}
