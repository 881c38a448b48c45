import { CorpusMinibatch } from './corpus-minibatch.js';
import type { PlacedCorpus } from './placed-corpus.js';

/** Most sentences of a minibatch that is kept. */
const mostKept = 1024;

/**
 * Minibatches of a corpus, whose arrays are used over and over: each is good until the next one of as many
 * sentences. To make small arrays for each step takes longer than to fill them.
 */
export class CorpusMinibatches {
  readonly #corpus: PlacedCorpus;
  /** By their number of sentences. */
  readonly #kept: (CorpusMinibatch | undefined)[] = new Array(mostKept + 1).fill(undefined);

  constructor(corpus: PlacedCorpus) {
    this.#corpus = corpus;
  }

  /** The sentences `numbers[from .. to)`. */
  of(numbers: Int32Array, from: number, to: number): CorpusMinibatch {
    const kept = to - from > mostKept ? undefined : this.#kept[to - from];
    if (kept !== undefined) {
      kept.take(numbers, from);
      return kept;
    }
    const made = new CorpusMinibatch(this.#corpus, numbers, from, to);
    if (to - from <= mostKept) this.#kept[to - from] = made;
    return made;
  }
}
