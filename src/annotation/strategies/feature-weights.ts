import { joinRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import type { Model } from '../../models/model.js';
import type { TokenDoubts } from './strategy.js';

/** Above this, in nats, a token counts as one that is in doubt. */
const inDoubt = 0.1;

/** Doubts that are less change no choice. */
const least = 1e-4;

/**
 * How much there is to be learned about each feature of tokens: in how many records of a pool a token that has it is
 * in doubt, and how many tokens that have it were answered.
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
  /** For each feature its records, and how often it was answered: side by side, as both are read together. */
  readonly #counts: Int32Array;
  /** The last record that each feature was met in. */
  readonly #met: Uint32Array;
  #records = 0;

  /** @param count features have numbers below this */
  constructor(count: number) {
    this.#counts = new Int32Array(2 * count);
    this.#met = new Uint32Array(count);
  }

  /** Adds the doubts about the tokens of a record. */
  add(doubts: TokenDoubts, features: TokenFeatures): void {
    this.#count(doubts, features, 1);
  }

  /** Takes away what `add` has added. */
  remove(doubts: TokenDoubts, features: TokenFeatures): void {
    this.#count(doubts, features, -1);
  }

  /** Notes that the tokens of a record were answered. */
  answer({ numbers }: TokenFeatures): void {
    for (const feature of numbers) this.#counts[2 * feature + 1]! += 1;
  }

  /** Takes back what `answer` has noted. Features that come from words that were learned of may be others by then. */
  takeBack({ numbers }: TokenFeatures): void {
    const counts = this.#counts;
    for (const feature of numbers) {
      if (counts[2 * feature + 1]! > 0) counts[2 * feature + 1]! -= 1;
    }
  }

  /**
   * `sum over t of d_t sum over f of t of D_f / (1 + n_f) / over`: D_f is the number of records in which a token with the
   * feature f is in doubt, and n_f is how often the feature was answered. It falls with each answer.
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

  /** Counts a record for the features of its tokens that are in doubt, once for each. */
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

/** Some features share a number by chance: few of those of some hundred records that compete. */
const hashed = 2 ** 20;

/**
 * What the templates of a model make of sentences, whether it knows the features or not.
 *
 * @param model of a session, whose models all have the same templates
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
  // Rows lie in blocks of many sentences, which are not to be kept for one of them.
  const { starts, rows } = joinRows(parts);
  return { starts, numbers: rows };
}

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
