import type { ClusterWords } from './cluster-corpus.js';

/** For each kind of word, what follows it and what comes before it: rows of numbers and counts. */
export class Neighbours {
  readonly starts: Int32Array;
  readonly others: Int32Array;
  readonly times: Float64Array;

  /** @param side `to`: what follows; `from`: what comes before */
  constructor({ words, from, to, times }: ClusterWords, side: 'to' | 'from') {
    const kinds = words.length + 2;
    const own = side === 'to' ? from : to;
    const other = side === 'to' ? to : from;
    this.starts = new Int32Array(kinds + 1);
    for (let i = 0; i < own.length; i += 1) this.starts[own[i]! + 1]! += 1;
    for (let k = 0; k < kinds; k += 1) this.starts[k + 1]! += this.starts[k]!;
    const next = this.starts.slice();
    this.others = new Int32Array(own.length);
    this.times = new Float64Array(own.length);
    for (let i = 0; i < own.length; i += 1) {
      const at = next[own[i]!]!;
      next[own[i]!] = at + 1;
      this.others[at] = other[i]!;
      this.times[at] = times[i]!;
    }
  }
}
