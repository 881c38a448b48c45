import { joinRows } from '../../engine/core/minibatch/packed-rows.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { HashedIndex } from '../../engine/features/index/hashed-index.js';
import type { Model } from '../../engine/models/model.js';
import type { TokenDoubts } from './strategy.js';

/** Entropy, in nats, above which a token is in doubt. */
const inDoubt = 0.1;

/** Entropy, in nats, below which a doubt does not affect the choice. */
const least = 1e-4;

/**
 * Counts per token feature of how much can be learned about it: the number of pool records in which
 * a token with the feature is in doubt, and the number of answered tokens with it.
 *
 * @example
 * const weights = new FeatureWeights(8);
 * const doubts = { doubts: [1], over: 1 };
 * const features = { starts: Uint32Array.of(0, 1), numbers: Uint32Array.of(7) };
 * weights.add(doubts, features);
 * const before = weights.score(doubts, features);
 * weights.answer(features);
 * [before, weights.score(doubts, features)] // => [1, 0.5]
 */
export class FeatureWeights {
  /** Number of records and of answers per feature, adjacent because both are read together. */
  readonly #counts: Int32Array;
  /** The last record in which each feature occurred. */
  readonly #met: Uint32Array;
  #records = 0;

  /** @param count exclusive upper bound of the feature numbers */
  constructor(count: number) {
    this.#counts = new Int32Array(2 * count);
    this.#met = new Uint32Array(count);
  }

  /** Adds the token doubts of a record. */
  add(doubts: TokenDoubts, features: TokenFeatures): void {
    this.#count(doubts, features, 1);
  }

  /** Reverses `add`. */
  remove(doubts: TokenDoubts, features: TokenFeatures): void {
    this.#count(doubts, features, -1);
  }

  /** Records that the tokens of a record were answered. */
  answer({ numbers }: TokenFeatures): void {
    for (const feature of numbers) this.#counts[2 * feature + 1]! += 1;
  }

  /** Reverses `answer`. Features derived from learned words may have changed since. */
  takeBack({ numbers }: TokenFeatures): void {
    const counts = this.#counts;
    for (const feature of numbers) {
      if (counts[2 * feature + 1]! > 0) counts[2 * feature + 1]! -= 1;
    }
  }

  /**
   * Returns `sum over t of d_t sum over f of t of D_f / (1 + n_f) / over`: D_f is the number of
   * records in which a token with the feature f is in doubt, and n_f the number of answers with the
   * feature. The score falls with each answer.
   */
  score({ doubts, over }: TokenDoubts, { starts, numbers }: TokenFeatures): number {
    const counts = this.#counts;
    let sum = 0;
    for (let t = 0; t < doubts.length; t += 1) {
      const doubt = doubts[t]!;
      if (doubt < least) continue;
      let weight = 0;
      for (let i = starts[t]!; i < starts[t + 1]!; i += 1) {
        const at = 2 * numbers[i]!;
        weight += counts[at]! / (1 + counts[at + 1]!);
      }
      sum += doubt * weight;
    }
    return over === 0 ? 0 : sum / over;
  }

  /** Counts a record once for each feature of its doubtful tokens. */
  #count({ doubts }: TokenDoubts, { starts, numbers }: TokenFeatures, by: number): void {
    this.#records += 1;
    for (let t = 0; t < doubts.length; t += 1) {
      if (doubts[t]! <= inDoubt) continue;
      for (let i = starts[t]!; i < starts[t + 1]!; i += 1) {
        const feature = numbers[i]!;
        if (this.#met[feature] === this.#records) continue;
        this.#met[feature] = this.#records;
        this.#counts[2 * feature]! += by;
      }
    }
  }
}

/** Number of hash values: features of a few hundred competing records rarely share one. */
const hashed = 2 ** 20;

/**
 * Returns the features that a model's templates extract, known to the model or not.
 *
 * @param model model of a session, whose models all have the same templates
 */
export function hashedFeatures(model: () => Model): FeatureSource {
  return { count: hashed, of: sentences => featuresBy(model(), sentences) };
}

function featuresBy(model: Model, sentences: readonly Sentence[]): TokenFeatures {
  const { extractor, stateIndex } = model;
  const index = new HashedIndex(hashed, stateIndex.memory);
  const parts = sentences.map(alone => {
    const sentence = model.placed(alone);
    extractor.open(sentence);
    return extractor.state(sentence.tokens.length, index, false);
  });
  // Rows are stored in blocks for many sentences, which one sentence must not keep alive.
  const { starts, rows } = joinRows(parts);
  return { starts, numbers: rows };
}

/**
 * Features of a record's tokens: those of token t are `numbers[starts[t]]` to
 * `numbers[starts[t + 1] - 1]`.
 */
export interface TokenFeatures {
  readonly starts: Uint32Array;
  readonly numbers: Uint32Array;
}

/** A source of token features. */
export interface FeatureSource {
  /** Exclusive upper bound of the feature numbers. */
  readonly count: number;
  /** Returns the features of sentences. */
  of(sentences: readonly Sentence[]): TokenFeatures;
}
