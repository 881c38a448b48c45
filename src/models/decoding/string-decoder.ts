import { isPlaced } from '../../features/index/placed-index.js';
import { StringFeatures, type StringSentence } from '../../features/texts/string-features.js';
import { TextFeatures } from '../../features/texts/text-features.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { Model } from '../model.js';
import { RowDecoder } from './row-decoder.js';

const decoders = new WeakMap<Model, StringDecoder>();

/**
 * Finds the best tags of sentences that are strings, without an object for a token: their features are those of texts
 * that were met before. All who tag with a model share it, as it lies in the memory of the model.
 */
export class StringDecoder {
  readonly #model: Model;
  readonly #features: StringFeatures;
  readonly #rows: RowDecoder;
  /** What the rows of texts were found for. */
  readonly #size: number;
  readonly #labels: number;

  /** Undefined for a model that still grows, or whose features do not follow from the texts of single tokens. */
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
   * The best tags of each sentence; undefined where one of them is to be decoded by itself: it lacks a column, or no tags
   * are possible, and an error has to say so.
   */
  decode(sentences: readonly StringSentence[]): string[][] | undefined {
    const rows = this.#features.encode(sentences);
    if (rows === undefined) return undefined;
    const { features, starts } = rows;
    const decoded = this.#rows.decode(features, starts, s => sentences[s]!.tokens);
    if (decoded.sentences < sentences.length) return undefined;
    const { reported } = this.#model.labels;
    const { labels } = decoded;
    return sentences.map(({ tokens }, s) => {
      const tags = new Array<string>(tokens.length);
      for (let i = 0; i < tokens.length; i += 1) tags[i] = reported[labels[starts[s]! + i]!]!;
      return tags;
    });
  }

  /** Whether the rows that it has found are those of the model still. */
  get isCurrent(): boolean {
    return this.#model.stateIndex.size === this.#size && this.#model.labels.size === this.#labels;
  }
}
