import type { State } from '../core/state.js';
import type { FeatureIndex } from './feature-index.js';
import type { FingerprintList } from './fingerprint-list.js';

/** Words an entry takes: lo, hi, row + 1 (0 while it has no row), times seen (0 marks a free entry). */
const entryWords = 4;

/** Bits of the filter, which stays in the first cache of a processor, and most entries it is made for. */
const filterMask = 2 ** 18 - 1;
const filterEntries = 2 ** 16;

/**
 * An open-addressing hash table of fingerprints. Rows are given in the order in which features reach
 * the cutoff, so the same input gives the same rows. An entry is 16 bytes, a lookup about one cache line.
 */
export class ExactIndex implements FeatureIndex {
  readonly mode = 'exact';
  readonly cutoff: number;
  #table = new Uint32Array(1024 * entryWords);
  #mask = 1023;
  #entries = 0;
  #size = 0;
  /** A bit for each fingerprint, where an index is small and will not grow: most misses end here. */
  #filter: Int32Array | undefined;

  /** @param cutoff a feature gets a row when it is seen for the `cutoff`th time */
  constructor(cutoff = 1) {
    this.cutoff = cutoff;
  }

  get size(): number {
    return this.#size;
  }

  find(lo: number, hi: number): number {
    const at = this.#place(lo, hi);
    return this.#table[at + 3] === 0 ? -1 : this.#table[at + 2]! - 1;
  }

  intern(lo: number, hi: number): number {
    this.#filter = undefined;
    let at = this.#place(lo, hi);
    let table = this.#table;
    if (table[at + 3] === 0) {
      if (this.#entries * 2 > this.#mask) {
        this.#rehash();
        at = this.#place(lo, hi);
        table = this.#table;
      }
      table[at] = lo;
      table[at + 1] = hi;
      this.#entries += 1;
    }
    const row = table[at + 2]!;
    if (row !== 0) return row - 1;
    table[at + 3]! += 1;
    if (table[at + 3]! < this.cutoff) return -1;
    this.#size += 1;
    table[at + 2] = this.#size;
    return this.#size - 1;
  }

  findAll({ lo, hi, length }: FingerprintList, rows: Int32Array): void {
    const table = this.#table;
    const mask = this.#mask;
    const filter = this.#filter;
    for (let i = 0; i < length; i += 1) {
      if (filter !== undefined) {
        const bit = hi[i]! & filterMask;
        if ((filter[bit >>> 5]! & (1 << (bit & 31))) === 0) {
          rows[i] = -1;
          continue;
        }
      }
      const wanted = lo[i]! >>> 0;
      const also = hi[i]! >>> 0;
      let slot = (lo[i]! ^ (hi[i]! >>> 7)) & mask;
      let at = slot * entryWords;
      while (table[at + 3] !== 0 && (table[at] !== wanted || table[at + 1] !== also)) {
        slot = (slot + 1) & mask;
        at = slot * entryWords;
      }
      // A free entry has row 0 as well.
      rows[i] = table[at + 2]! - 1;
    }
  }

  internAll({ lo, hi, length }: FingerprintList, rows: Int32Array): void {
    for (let i = 0; i < length; i += 1) rows[i] = this.intern(lo[i]!, hi[i]!);
  }

  /** Fingerprints by row: lo and hi in turn. */
  fingerprints(): Uint32Array {
    const all = new Uint32Array(this.#size * 2);
    const table = this.#table;
    for (let at = 0; at < table.length; at += entryWords) {
      const row = table[at + 2]!;
      if (row === 0) continue;
      all[(row - 1) * 2] = table[at]!;
      all[(row - 1) * 2 + 1] = table[at + 1]!;
    }
    return all;
  }

  /** Index over known fingerprints, row by row. */
  static of(fingerprints: Uint32Array): ExactIndex {
    const index = new ExactIndex();
    index.#grow(fingerprints.length / 2);
    for (let i = 0; i < fingerprints.length; i += 2) {
      index.intern(fingerprints[i]!, fingerprints[i + 1]!);
    }
    if (fingerprints.length <= 2 * filterEntries) index.#filter = filterOf(fingerprints);
    return index;
  }

  save(): State {
    return { json: { size: this.#size, entries: this.#entries }, arrays: { table: this.#table } };
  }

  /** The index that `save` described, with its counts of features below the cutoff. */
  static restore(state: State, cutoff: number): ExactIndex {
    const index = new ExactIndex(cutoff);
    index.#table = (state.arrays.table as Uint32Array).slice();
    index.#mask = index.#table.length / entryWords - 1;
    index.#size = state.json.size as number;
    index.#entries = state.json.entries as number;
    return index;
  }

  #place(lo: number, hi: number): number {
    const table = this.#table;
    const mask = this.#mask;
    const wanted = lo >>> 0;
    const also = hi >>> 0;
    let slot = (lo ^ (hi >>> 7)) & mask;
    for (;;) {
      const at = slot * entryWords;
      if (table[at + 3] === 0) return at;
      if (table[at] === wanted && table[at + 1] === also) return at;
      slot = (slot + 1) & mask;
    }
  }

  #grow(entries: number): void {
    while (entries * 2 > this.#mask) this.#rehash();
  }

  #rehash(): void {
    const old = this.#table;
    this.#mask = this.#mask * 2 + 1;
    this.#table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += entryWords) {
      if (old[at + 3] === 0) continue;
      const to = this.#place(old[at]!, old[at + 1]!);
      for (let i = 0; i < entryWords; i += 1) this.#table[to + i] = old[at + i]!;
    }
  }
}

function filterOf(fingerprints: Uint32Array): Int32Array {
  const filter = new Int32Array((filterMask + 1) / 32);
  for (let i = 1; i < fingerprints.length; i += 2) {
    const bit = fingerprints[i]! & filterMask;
    filter[bit >>> 5]! |= 1 << (bit & 31);
  }
  return filter;
}
