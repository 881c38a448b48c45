import { Fingerprint } from '../fingerprints/fingerprint.js';
import { FingerprintTable } from './fingerprint-table.js';
import type { WordClusters } from './resources.js';

/** The clusters of words by the hash of the word. */
export class ClusterTable {
  readonly fold: boolean;
  /** Paths of the clusters, by number from 0. */
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

  /** The number of a word's cluster by the word's hash, -1 if it has none. */
  find(lo: number, hi: number): number {
    return this.#words.get(lo, hi) - 1;
  }
}

/** Place of the next tab before `end`, or `end`. */
function tabIn(text: string, from: number, end: number): number {
  const tab = text.indexOf('\t', from);
  return tab < 0 || tab > end ? end : tab;
}
