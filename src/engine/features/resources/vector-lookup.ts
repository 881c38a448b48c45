import type { Column } from '../../core/sentence/document.js';
import type { ContentTable } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import type { QuantisedVectors } from './resources.js';
import { FingerprintTable, hashWord, type TokenLookup } from './token-lookup.js';

/**
 * Finds the vector of each token, as its number in the list, from 1; 0 for a word without a vector.
 */
export class VectorLookup implements TokenLookup {
  readonly #fold: boolean;
  readonly #words: FingerprintTable;

  constructor({ text, fold, steps }: QuantisedVectors) {
    this.#fold = fold;
    this.#words = new FingerprintTable(steps.length);
    const hash = new Fingerprint();
    for (let at = 0, number = 1; number <= steps.length; number += 1) {
      const newline = text.indexOf('\n', at);
      const last = newline < 0 ? text.length : newline;
      hash.start();
      hash.text(text, at, last);
      hash.finish();
      this.#words.set(hash.lo, hash.hi, number);
      at = last + 1;
    }
  }

  /** Writes vector numbers instead of hashes. */
  fill(
    column: Column,
    length: number,
    hash: Fingerprint,
    { lo, hi }: ContentTable,
    start: number,
  ): void {
    for (let t = 0; t < length; t += 1) {
      lo[start + t] = this.#find(column[t]!, hash);
      hi[start + t] = 0;
    }
  }

  /** Returns vector numbers as text. */
  texts(column: Column): (string | undefined)[] {
    const hash = new Fingerprint();
    return Array.from({ length: column.length }, (_, t) => {
      const number = this.#find(column[t]!, hash);
      return number === 0 ? undefined : String(number);
    });
  }

  #find(item: string | number, hash: Fingerprint): number {
    hashWord(item, this.#fold, hash);
    return this.#words.get(hash.lo, hash.hi);
  }
}
