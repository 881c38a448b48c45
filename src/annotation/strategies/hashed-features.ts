import { joinRows } from '../../core/minibatch/join-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import type { Model } from '../../models/model.js';

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
