import type { Column } from '../../core/sentence/document.js';
import { type ContentTable, contentOf } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import type { WordClusters } from './resources.js';
import { FingerprintTable, hashWord, type TokenLookup } from './token-lookup.js';

/** Word clusters by the hash of the word. */
export class ClusterTable {
  readonly fold: boolean;
  /** Cluster paths, by number from 0. */
  readonly paths: readonly string[];
  readonly #words: FingerprintTable;

  constructor({ text, fold }: WordClusters) {
    this.fold = fold;
    const paths: string[] = [];
    const words = new FingerprintTable(text.length / 12);
    const hash = new Fingerprint();
    for (let at = 0; at < text.length; ) {
      const newline = text.indexOf('\n', at);
      const last = newline < 0 ? text.length : newline;
      const path = text.slice(at, tabIn(text, at, last));
      paths.push(path);
      for (let word = at + path.length + 1; word < last; ) {
        const tab = tabIn(text, word, last);
        hash.start();
        hash.text(text, word, tab);
        hash.finish();
        words.set(hash.lo, hash.hi, paths.length);
        word = tab + 1;
      }
      at = last + 1;
    }
    this.paths = paths;
    this.#words = words;
  }

  /** Returns the number of a word's cluster, given the word's hash; -1 if it has none. */
  find(lo: number, hi: number): number {
    return this.#words.get(lo, hi) - 1;
  }
}

/** Returns the index of the next tab before `end`, or `end`. */
function tabIn(text: string, from: number, end: number): number {
  const tab = text.indexOf('\t', from);
  return tab < 0 || tab > end ? end : tab;
}

/**
 * Gives each token the beginning of its cluster's path as a value. A word without a cluster has no
 * value.
 */
export class ClusterLookup implements TokenLookup {
  readonly #clusters: ClusterTable;
  /** Hashes of the paths, by cluster number. */
  readonly #lo: Int32Array;
  readonly #hi: Int32Array;
  readonly #bits: number;

  /** @param bits number of path bits to use; 0 for all */
  constructor(clusters: ClusterTable, bits: number) {
    this.#clusters = clusters;
    this.#bits = bits;
    const { paths } = clusters;
    this.#lo = new Int32Array(paths.length);
    this.#hi = new Int32Array(paths.length);
    for (const [i, path] of paths.entries()) {
      const { lo, hi } = contentOf(this.#shown(path));
      this.#lo[i] = lo;
      this.#hi[i] = hi;
    }
  }

  fill(
    column: Column,
    length: number,
    hash: Fingerprint,
    { lo, hi }: ContentTable,
    start: number,
  ): void {
    for (let t = 0; t < length; t += 1) {
      const cluster = this.#find(column[t]!, hash);
      lo[start + t] = cluster < 0 ? 0 : this.#lo[cluster]!;
      hi[start + t] = cluster < 0 ? 0 : this.#hi[cluster]!;
    }
  }

  hash(token: string, hash: Fingerprint): boolean {
    const cluster = this.#find(token, hash);
    hash.start();
    if (cluster >= 0) hash.text(this.#shown(this.#clusters.paths[cluster]!));
    hash.finish();
    return cluster >= 0;
  }

  texts(column: Column): (string | undefined)[] {
    const hash = new Fingerprint();
    return Array.from({ length: column.length }, (_, t) => {
      const cluster = this.#find(column[t]!, hash);
      return cluster < 0 ? undefined : this.#shown(this.#clusters.paths[cluster]!);
    });
  }

  #find(item: string | number, hash: Fingerprint): number {
    hashWord(item, this.#clusters.fold, hash);
    return this.#clusters.find(hash.lo, hash.hi);
  }

  #shown(path: string): string {
    return this.#bits === 0 ? path : path.slice(0, this.#bits);
  }
}
