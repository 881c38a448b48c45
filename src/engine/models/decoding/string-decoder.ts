import { isPlaced } from '../../features/index/placed-index.js';
import { StringFeatures, type StringSentence } from '../../features/texts/string-features.js';
import { TextFeatures } from '../../features/texts/text-features.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { Model } from '../model.js';
import { RowDecoder } from './row-decoder.js';

const decoders = new WeakMap<Model, StringDecoder>();

/**
 * Finds the best tags of sentences given as strings, without an object per token; features are cached by text. All
 * taggers of a model share one decoder, because it lies in the model's memory.
 */
export class StringDecoder {
  readonly #model: Model;
  readonly #features: StringFeatures;
  readonly #rows: RowDecoder;
  /** Size of the index when the cached rows were found. */
  readonly #size: number;
  readonly #labels: number;

  /**
   * Returns a decoder, or undefined if the model still grows or its features depend on more than the texts of
   * single tokens.
   */
  static of(model: Model): StringDecoder | undefined {
    const { stateIndex, extractor, labels } = model;
    if (!model.frozen || labels.size === 0) return undefined;
    const known = decoders.get(model);
    if (known?.isCurrent === true) return known;
    if (!structureOf(model.spec).capabilities.includes('token features')) return undefined;
    if (!isPlaced(stateIndex) || !TextFeatures.canMake(extractor.plan)) return undefined;
    const decoder = new StringDecoder(model, StringFeatures.of(extractor.plan, stateIndex));
    decoders.set(model, decoder);
    return decoder;
  }

  private constructor(model: Model, features: StringFeatures) {
    this.#model = model;
    this.#size = model.stateIndex.size;
    this.#labels = model.labels.size;
    this.#features = features;
    this.#rows = new RowDecoder(model, {});
  }

  /**
   * Returns the best tags of each sentence; undefined if one must be decoded separately, because it lacks a column, or
   * because no tags are possible, which has to be reported.
   *
   * @param fixed number of the label of each token that is known; -1 for the other tokens
   */
  decode(sentences: readonly StringSentence[], fixed?: Int32Array): string[][] | undefined {
    const rows = this.#features.encode(sentences, fixed);
    if (rows === undefined) return undefined;
    const { features, starts } = rows;
    const decoded = this.#rows.decode(features, starts, s => sentences[s]!.tokens, fixed);
    if (decoded.sentences < sentences.length) return undefined;
    const { reported } = this.#model.labels;
    const { labels } = decoded;
    return sentences.map(({ tokens }, s) => {
      const tags = new Array<string>(tokens.length);
      for (let i = 0; i < tokens.length; i += 1) tags[i] = reported[labels[starts[s]! + i]!]!;
      return tags;
    });
  }

  /** Whether the cached rows are still those of the model. */
  get isCurrent(): boolean {
    return this.#model.stateIndex.size === this.#size && this.#model.labels.size === this.#labels;
  }
}
