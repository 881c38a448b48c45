import type { Column } from '../../core/document.js';
import { type ContentTable, contentOf } from '../content-table.js';
import type { Fingerprint } from '../fingerprint.js';
import type { ClusterTable } from './cluster-table.js';
import type { TokenLookup } from './token-lookup.js';

/** Finds the cluster of each token: the first bits of its path. Nothing for a word that has none. */
export class ClusterLookup implements TokenLookup {
  readonly #clusters: ClusterTable;
  /** Hashes of the paths, by the number of the cluster. */
  readonly #lo: Int32Array;
  readonly #hi: Int32Array;

  /** @param bits of a path that count; 0 for all */
  constructor(clusters: ClusterTable, bits: number) {
    this.#clusters = clusters;
    const { paths } = clusters;
    this.#lo = new Int32Array(paths.length);
    this.#hi = new Int32Array(paths.length);
    for (const [i, path] of paths.entries()) {
      const { lo, hi } = contentOf(bits === 0 ? path : path.slice(0, bits));
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
    const { fold } = this.#clusters;
    for (let t = 0; t < length; t += 1) {
      const item = column[t]!;
      const token = typeof item === 'string' ? item : String(item);
      hash.start();
      hash.text(fold ? token.toLowerCase() : token);
      hash.finish();
      const cluster = this.#clusters.find(hash.lo, hash.hi);
      lo[start + t] = cluster < 0 ? 0 : this.#lo[cluster]!;
      hi[start + t] = cluster < 0 ? 0 : this.#hi[cluster]!;
    }
  }
}
