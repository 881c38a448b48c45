import { joinRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import type { Model } from '../../models/model.js';
import type { TokenDoubts } from './strategy.js';

/** Entropy in nats above which a token is in doubt. */
const inDoubt = 0.1;

/** Smaller doubts do not affect the choice. */
const least = 1e-4;

/**
 * How much can be learned about each feature of tokens: in how many records of a pool a token that has it is in
 * doubt, and how many tokens that have it were answered.
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
  /** For each feature its records, and how often it was answered: adjacent, as both are read together. */
  readonly #counts: Int32Array;
  /** The last record in which each feature occurred. */
  readonly #met: Uint32Array;
  #records = 0;

  /** @param count upper bound of feature numbers */
  constructor(count: number) {
    this.#counts = new Int32Array(2 * count);
    this.#met = new Uint32Array(count);
  }

  /** Adds the doubts about the tokens of a record. */
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

  /** Reverses `answer`. Features that come from learned words may differ by then. */
  takeBack({ numbers }: TokenFeatures): void {
    const counts = this.#counts;
    for (const feature of numbers) {
      if (counts[2 * feature + 1]! > 0) counts[2 * feature + 1]! -= 1;
    }
  }

  /**
   * Returns `sum over t of d_t sum over f of t of D_f / (1 + n_f) / over`: D_f is the number of records in which a token
   * with the feature f is in doubt, and n_f is how often the feature was answered. It falls with each answer.
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

  /** Counts a record for the features of its doubtful tokens, once for each. */
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

/**
 * Some features share a number by chance: only a few of those of some hundred competing records.
 */
const hashed = 2 ** 20;

/**
 * Returns the features that the templates of a model extract, whether it knows them or not.
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
  // Rows are in blocks of many sentences, which must not be kept for one of them.
  const { starts, rows } = joinRows(parts);
  return { starts, numbers: rows };
}

/** The features of the tokens of a record: those of token t are `numbers[starts[t]]` to `numbers[starts[t + 1] - 1]`. */
export interface TokenFeatures {
  readonly starts: Uint32Array;
  readonly numbers: Uint32Array;
}

/** A source of token features. */
export interface FeatureSource {
  /** Upper bound of feature numbers. */
  readonly count: number;
  /** Returns the features of sentences. */
  of(sentences: readonly Sentence[]): TokenFeatures;
}
