import type { Sentence } from '../../core/sentence/sentence.js';
import { HashedIndex } from '../../features/index/hashed-index.js';
import type { Model } from '../../models/model.js';
import type { FeatureSource, TokenFeatures } from './token-features.js';

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
  const starts = new Uint32Array(parts.reduce((sum, part) => sum + part.starts.length - 1, 1));
  const numbers = new Uint32Array(parts.reduce((sum, { rows }) => sum + rows.length, 0));
  let [token, next] = [0, 0];
  for (const part of parts) {
    for (let t = 1; t < part.starts.length; t += 1) {
      token += 1;
      starts[token] = next + part.starts[t]!;
    }
    numbers.set(part.rows, next);
    next += part.rows.length;
  }
  return { starts, numbers };
}
