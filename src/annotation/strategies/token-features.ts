import type { Sentence } from '../../core/sentence/sentence.js';

/** The features of the tokens of a record: those of token t are `numbers[starts[t]]` to `numbers[starts[t + 1] - 1]`. */
export interface TokenFeatures {
  readonly starts: Uint32Array;
  readonly numbers: Uint32Array;
}

/** What tokens are like. */
export interface FeatureSource {
  /** Features have numbers below this. */
  readonly count: number;
  /** The features of sentences. */
  of(sentences: readonly Sentence[]): TokenFeatures;
}
