import type { State } from '../core/state.js';
import type { FeatureIndex } from './feature-index.js';
import type { FingerprintList } from './fingerprint-list.js';

/**
 * A fixed number of rows that all features share by their hash: memory stays the same however many
 * features an endless stream brings, at the price of collisions. Cost of a lookup: one remainder.
 */
export class HashedIndex implements FeatureIndex {
  readonly mode = 'hashed';
  readonly size: number;

  /** @param size number of rows */
  constructor(size: number) {
    this.size = size;
  }

  find(lo: number, hi: number): number {
    return ((lo ^ Math.imul(hi, 0x9e3779b1)) >>> 0) % this.size;
  }

  intern(lo: number, hi: number): number {
    return this.find(lo, hi);
  }

  findAll({ lo, hi, length }: FingerprintList, rows: Int32Array): void {
    for (let i = 0; i < length; i += 1) rows[i] = this.find(lo[i]!, hi[i]!);
  }

  internAll(list: FingerprintList, rows: Int32Array): void {
    this.findAll(list, rows);
  }

  save(): State {
    return { json: { size: this.size }, arrays: {} };
  }
}
