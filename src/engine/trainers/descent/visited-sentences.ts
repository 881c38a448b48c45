import { bisect } from '../../core/arrays.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';

/** Number of sentences scored at a time. */
const atOnce = 32;

/** Some sentences of a corpus, packed, with the positions of their tokens in the corpus. */
export interface VisitedSentences {
  readonly count: number;
  readonly tokens: number;
  readonly minibatches: readonly Minibatch[];
  /** First token of each sentence in the corpus, one minibatch after the other. */
  readonly firstTokens: Uint32Array;
}

/** Finds the sentences that contain given tokens of a corpus. */
export class SentenceFinder {
  readonly #whole: VisitedSentences;
  readonly #sentences: readonly EncodedSentence[];
  /** First token of each sentence, and the number of tokens. */
  readonly #starts: Uint32Array;

  constructor(corpus: readonly Minibatch[]) {
    const sentences = corpus.flatMap(minibatch => minibatch.sentences);
    const starts = new Uint32Array(sentences.length + 1);
    for (let s = 0; s < sentences.length; s += 1) {
      starts[s + 1] = starts[s]! + sentences[s]!.length;
    }
    this.#sentences = sentences;
    this.#starts = starts;
    const count = sentences.length;
    this.#whole = { count, tokens: starts[count]!, minibatches: corpus, firstTokens: starts };
  }

  /** Number of sentences in the corpus. */
  get count(): number {
    return this.#whole.count;
  }

  /**
   * Returns the sentences that contain the ascending `tokens`, or all sentences if absent. Cost:
   * packing them.
   */
  find(tokens: Uint32Array | undefined): VisitedSentences {
    if (tokens === undefined) return this.#whole;
    const chosen: EncodedSentence[] = [];
    const firstTokens: number[] = [];
    let end = 0;
    for (const token of tokens) {
      if (token < end) continue;
      const s = bisect(1, this.#sentences.length, next => this.#starts[next]! <= token) - 1;
      end = this.#starts[s + 1]!;
      chosen.push(this.#sentences[s]!);
      firstTokens.push(this.#starts[s]!);
    }
    if (chosen.length === this.count) return this.#whole;
    const minibatches: Minibatch[] = [];
    for (let i = 0; i < chosen.length; i += atOnce) {
      minibatches.push(packMinibatch(chosen.slice(i, i + atOnce)));
    }
    return {
      count: chosen.length,
      tokens: chosen.reduce((sum, { length }) => sum + length, 0),
      minibatches,
      firstTokens: Uint32Array.from(firstTokens),
    };
  }
}
