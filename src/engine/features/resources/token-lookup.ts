import type { Column } from '../../core/sentence/document.js';
import type { ContentTable } from '../fingerprints/content-table.js';
import type { Fingerprint } from '../fingerprints/fingerprint.js';

/** Looks up the value of a list macro for each token of a sentence. */
export interface TokenLookup {
  /** Writes the hash of the value at each of `length` tokens, 0 for none, from index `start` on. */
  fill(column: Column, length: number, hash: Fingerprint, table: ContentTable, start: number): void;
  /**
   * Hashes the value at a token, if it depends only on that token; returns false if there is none.
   */
  hash?(token: string, hash: Fingerprint): boolean;
  /**
   * Returns the value at each token of a sentence as text; undefined for none. Slow, for feature
   * names only.
   */
  texts(column: Column): readonly (string | undefined)[];
}

/** A map from 64-bit fingerprints to numbers from 1; 17 to 34 bytes per entry. */
export class FingerprintTable {
  #keys = new Int32Array(32);
  #values = new Int32Array(16);
  #size = 0;

  /** @param expected number of entries for which to make room */
  constructor(expected = 0) {
    const places = 2 ** Math.max(4, Math.ceil(Math.log2(expected * 1.5 + 1)));
    this.#keys = new Int32Array(2 * places);
    this.#values = new Int32Array(places);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a fingerprint, 0 if it has none. */
  get(lo: number, hi: number): number {
    return this.#values[this.#place(lo, hi)]!;
  }

  /** Assigns a number, from 1, to a fingerprint. */
  set(lo: number, hi: number, value: number): void {
    let at = this.#place(lo, hi);
    if (this.#values[at] === 0) {
      if ((this.#size + 1) * 1.5 > this.#values.length) {
        this.#grow();
        at = this.#place(lo, hi);
      }
      this.#size += 1;
      this.#keys[2 * at] = lo;
      this.#keys[2 * at + 1] = hi;
    }
    this.#values[at] = value;
  }

  #place(lo: number, hi: number): number {
    const mask = this.#values.length - 1;
    let at = Math.imul(lo ^ Math.imul(hi, 0x85ebca6b), 0x9e3779b1);
    at = (at ^ (at >>> 15)) & mask;
    while (this.#values[at] !== 0) {
      if (this.#keys[2 * at] === lo && this.#keys[2 * at + 1] === hi) return at;
      at = (at + 1) & mask;
    }
    return at;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Int32Array(2 * keys.length);
    this.#values = new Int32Array(2 * values.length);
    for (let i = 0; i < values.length; i += 1) {
      if (values[i] === 0) continue;
      const at = this.#place(keys[2 * i]!, keys[2 * i + 1]!);
      this.#keys[2 * at] = keys[2 * i]!;
      this.#keys[2 * at + 1] = keys[2 * i + 1]!;
      this.#values[at] = values[i]!;
    }
  }
}

/**
 * Hashes a token in the same way as lists hash their words: as written, or in lower case if case is
 * ignored.
 */
export function hashWord(item: string | number, fold: boolean, hash: Fingerprint): void {
  const token = typeof item === 'string' ? item : String(item);
  hash.start();
  hash.text(fold ? token.toLowerCase() : token);
  hash.finish();
}
