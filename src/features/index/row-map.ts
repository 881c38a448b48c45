import type { FingerprintInterner } from './fingerprint-interner.js';

/** Rows of one index by those of another, which learns of the features of the first as they come. */
export class RowMap {
  readonly #interner: FingerprintInterner;
  readonly #firstRow: number;
  #rows = new Uint32Array(1024);
  #size: number;

  /**
   * @param interner of the index that rows are mapped to
   * @param firstRow what both indexes call their first row; rows before it stay
   */
  constructor(interner: FingerprintInterner, firstRow: number) {
    this.#interner = interner;
    this.#firstRow = firstRow;
    this.#size = firstRow;
    for (let row = 0; row < firstRow; row += 1) this.#rows[row] = row;
  }

  /** Learns of the features that come next in the first index, row by row. */
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

  /** Replaces rows of the first index by those of the other, in place. */
  apply(rows: Uint32Array): void {
    const map = this.#rows;
    for (let i = 0; i < rows.length; i += 1) rows[i] = map[rows[i]!]!;
  }
}
