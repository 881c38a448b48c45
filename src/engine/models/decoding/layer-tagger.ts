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
  /** Whether the codec knows the values of some words, which are labels of the model. */
  readonly #settles: boolean;
  /** Reused for each token, because codecs do not keep it. */
  readonly #token: { form: string; tag: string | undefined } = { form: '', tag: undefined };

  /** @param model frozen model */
  constructor(stored: StoredLayer, model: Model) {
    const { codec, by } = stored;
    this.stored = stored;
    this.model = model;
    this.#decoder = new Decoder(model.kernel, model);
    this.#chosen = choosesValues(codec) ? new ChosenValues(model, codec, by) : undefined;
    // Labels of a scheme are not the values.
    this.#settles = codec.settled !== undefined && model.labels.encode === undefined;
  }

  /** Returns the values of each sentence. */
  valuesOf(sentences: readonly StringSentence[]): string[][] {
    if (this.#chosen !== undefined) return this.#chosen.valuesOf(sentences);
    const values: string[][] = [];
    for (let from = 0; from < sentences.length; from += atATime) {
      const part = sentences.slice(from, from + atATime);
      const fixed = this.#fixedIn(part);
      const found =
        StringDecoder.of(this.model)?.decode(part, fixed) ?? this.#tagsOneByOne(part, fixed);
      let first = 0;
      for (const [i, labels] of found.entries()) {
        values.push(this.#decoded(part[i]!, labels, first, fixed));
        first += labels.length;
      }
    }
    return values;
  }

  /** Returns the number of the label of each token whose value is settled, and -1 for the others. */
  #fixedIn(sentences: readonly StringSentence[]): Int32Array | undefined {
    if (!this.#settles) return undefined;
    const { codec, by } = this.stored;
    const { labels } = this.model;
    const token = this.#token;
    const fixed = new Int32Array(sentences.reduce((sum, { tokens }) => sum + tokens.length, 0));
    let at = 0;
    for (const { tokens, columns } of sentences) {
      const tags = by === undefined ? undefined : columns[by];
      for (let t = 0; t < tokens.length; t += 1) {
        token.form = tokens[t]!;
        token.tag = tags === undefined ? undefined : String(tags[t]!);
        const value = codec.settled!(token);
        fixed[at] = value === undefined ? -1 : labels.find(value);
        at += 1;
      }
    }
    return fixed;
  }

  #tagsOneByOne(
    sentences: readonly StringSentence[],
    fixed: Int32Array | undefined,
  ): readonly string[][] {
    let first = 0;
    return sentences.map(sentence => {
      const own = fixed?.subarray(first, first + sentence.tokens.length);
      first += sentence.tokens.length;
      return this.#tags(sentence, own);
    });
  }

  #tags({ tokens, columns }: StringSentence, fixed: Int32Array | undefined): string[] {
    if (tokens.length === 0) return [];
    const { model } = this;
    const part = { index: 0, count: 1, start: 0 };
    const encoded = model.encodeKnown({ tokens, columns, document: {}, part });
    model.reserve();
    const batch = Object.assign(packMinibatch([encoded]), { fixed });
    const { labels } = this.#decoder.decode(model.parameters, batch, { constraints: false });
    return model.labels.tagsOf(labels);
  }

  /** @param first index in `fixed` of the first token, whose value is that of its label if it is fixed */
  #decoded(
    { tokens, columns }: StringSentence,
    labels: string[],
    first: number,
    fixed: Int32Array | undefined,
  ): string[] {
    const { codec, by } = this.stored;
    const { names } = this.model.labels;
    const tags = by === undefined ? undefined : columns[by];
    const token = this.#token;
    for (let t = 0; t < labels.length; t += 1) {
      const known = fixed?.[first + t] ?? -1;
      if (known >= 0) {
        labels[t] = names[known]!;
        continue;
      }
      token.form = tokens[t]!;
      token.tag = tags === undefined ? undefined : String(tags[t]!);
      labels[t] = codec.decode(token, labels[t]!);
    }
    return labels;
  }
}
