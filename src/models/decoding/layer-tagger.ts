import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Column } from '../../core/sentence/document.js';
import type { Results } from '../../core/sentence/sentence.js';
import type { StringSentence } from '../../features/texts/string-features.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { BundledLayers, StoredLayer, StoredLayers } from '../bundled-layers.js';
import type { Model } from '../model.js';
import { ChosenValues, choosesValues } from './chosen-values.js';
import { Decoder } from './decoder.js';
import { StringDecoder } from './string-decoder.js';

/** Number of sentences decoded at a time. */
const atATime = 64;

/** Tags sentences with the layers of a bundle, one layer after the other. */
export class LayerTagger implements BundledLayers {
  readonly stored: StoredLayers;
  readonly #layers: readonly Layer[];

  /** @param models frozen models, one per layer */
  constructor(stored: StoredLayers, models: readonly Model[]) {
    this.stored = stored;
    this.#layers = stored.layers.map((layer, i) => new Layer(layer, models[i]!));
  }

  get spanColumn(): string | undefined {
    return this.#layers.find(({ model }) => isSpanScheme(model.scheme))?.stored.column;
  }

  resultsOf(
    sentences: readonly StringSentence[],
    tags: readonly (readonly string[])[],
  ): readonly Results[] {
    const { column } = this.stored;
    const seen = sentences.map(({ tokens, columns }, s) => ({
      tokens,
      columns: { ...columns, [column]: tags[s]! } as Record<string, Column>,
    }));
    // Without a prototype, a column may have any name.
    const results = sentences.map(() => Object.create(null) as Record<string, readonly string[]>);
    for (const layer of this.#layers) {
      const { column: own } = layer.stored;
      for (const [s, values] of layer.valuesOf(seen).entries()) {
        seen[s]!.columns[own] = values;
        results[s]![own] = values;
      }
    }
    return results;
  }
}

/** One tagger of a bundle. */
export class Layer {
  readonly stored: StoredLayer;
  readonly model: Model;
  readonly #decoder: Decoder;
  /** Present if the codec chooses among labels. */
  readonly #chosen: ChosenValues | undefined;
  /** Reused for each token, because codecs do not keep it. */
  readonly #token: { form: string; tag: string | undefined } = { form: '', tag: undefined };

  /** @param model frozen model */
  constructor(stored: StoredLayer, model: Model) {
    const { codec, by } = stored;
    this.stored = stored;
    this.model = model;
    this.#decoder = new Decoder(model.kernel, model);
    this.#chosen = choosesValues(codec) ? new ChosenValues(model, codec, by) : undefined;
  }

  /** Returns the values of each sentence. */
  valuesOf(sentences: readonly StringSentence[]): string[][] {
    if (this.#chosen !== undefined) return this.#chosen.valuesOf(sentences);
    const values: string[][] = [];
    for (let from = 0; from < sentences.length; from += atATime) {
      const part = sentences.slice(from, from + atATime);
      const found =
        StringDecoder.of(this.model)?.decode(part) ?? part.map(each => this.#tags(each));
      for (const [i, labels] of found.entries()) values.push(this.#decoded(part[i]!, labels));
    }
    return values;
  }

  #tags({ tokens, columns }: StringSentence): string[] {
    if (tokens.length === 0) return [];
    const { model } = this;
    const part = { index: 0, count: 1, start: 0 };
    const encoded = model.encodeKnown({ tokens, columns, document: {}, part });
    model.reserve();
    const batch = packMinibatch([encoded]);
    const { labels } = this.#decoder.decode(model.parameters, batch, { constraints: false });
    return model.labels.tagsOf(labels);
  }

  #decoded({ tokens, columns }: StringSentence, labels: string[]): string[] {
    const { codec, by } = this.stored;
    const tags = by === undefined ? undefined : columns[by];
    const token = this.#token;
    for (let t = 0; t < labels.length; t += 1) {
      token.form = tokens[t]!;
      token.tag = tags === undefined ? undefined : String(tags[t]!);
      labels[t] = codec.decode(token, labels[t]!);
    }
    return labels;
  }
}
