import { TagstreamError } from '../core/errors.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import { mostHeld, noPrefix, RankedPrefixes } from './ranked-prefixes.js';

/** One of the best label sequences of a sentence. */
export interface RankedPath {
  /** Label of each token. */
  readonly labels: Int32Array;
  /** Sum of the sequence's emission and transition scores. */
  readonly score: number;
}

/** Finds the exact best label sequences of sentences. Memory grows with the longest sentence. */
export class NBest {
  readonly #prefixes = new RankedPrefixes();
  #best = new Int32Array(0);
  /** For each label of the last token, its best remaining sequence. */
  #nextOf = new Int32Array(0);

  /**
   * Returns the `count` best label sequences of one sentence of a scored float64 lattice, best
   * first, by Viterbi followed by lazy expansion for each further sequence. Overwrites the
   * lattice's forward vectors.
   *
   * Returns fewer if fewer are allowed by scores above minus infinity. Ties are ordered by label,
   * lowest first, compared from the last token backwards; the first sequence is that of Viterbi.
   * Cost O(T L^2 + k T L) time, and at most O(k T L) memory.
   *
   * @throws TagstreamError `too-large` if the sequences have more than 2^26 labels, or the search
   * would hold more than 2^26 numbers
   */
  paths(kernel: Kernel, lattice: Lattice, s: number, count: number): RankedPath[] {
    const { labels, batch } = lattice;
    const length = batch!.sentenceStarts[s + 1]! - batch!.sentenceStarts[s]!;
    if (length * mostPaths(labels, length, count) > mostHeld) {
      throw new TagstreamError(
        'too-large',
        `${count} best sequences of ${length} tokens are too many`,
        {
          fix: 'ask for fewer, or split the text into sentences',
        },
      );
    }
    if (this.#best.length < batch!.tokens) this.#best = new Int32Array(2 * batch!.tokens);
    kernel.viterbi(lattice, s, this.#best);
    const prefixes = this.#prefixes;
    prefixes.open(lattice, s);
    if (this.#nextOf.length < labels) this.#nextOf = new Int32Array(labels);
    const nextOf = this.#nextOf;
    for (let y = 0; y < labels; y += 1) nextOf[y] = prefixes.bestOf(y);
    const found: RankedPath[] = [];
    for (;;) {
      let score = Number.NEGATIVE_INFINITY;
      let label = noPrefix;
      for (let y = 0; y < labels; y += 1) {
        const next = nextOf[y]!;
        if (next === noPrefix || !(prefixes.scoreOf(next) > score)) continue;
        score = prefixes.scoreOf(next);
        label = y;
      }
      if (label === noPrefix) return found;
      const prefix = nextOf[label]!;
      found.push({ labels: prefixes.labelsOf(prefix), score });
      if (found.length === count) return found;
      nextOf[label] = prefixes.after(prefix);
    }
  }
}

/** Returns `count`, or the number of all label sequences of this length if that is smaller. */
function mostPaths(labels: number, length: number, count: number): number {
  let paths = 1;
  for (let t = 0; t < length && paths < count && labels > 1; t += 1) paths *= labels;
  return Math.min(paths, count);
}
