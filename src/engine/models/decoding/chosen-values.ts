import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Column } from '../../core/sentence/document.js';
import type { FeatureExtractor } from '../../features/extraction/feature-extractor.js';
import type { StringSentence } from '../../features/texts/string-features.js';
import type { ColumnToken, LabelCodec } from '../../text/labels/label-codec.js';
import type { Model } from '../model.js';
import { Decoder } from './decoder.js';

/** A codec that chooses a value by the probabilities of all labels. */
export type ChoosingCodec = LabelCodec & Required<Pick<LabelCodec, 'choose'>>;

export function choosesValues(codec: LabelCodec): codec is ChoosingCodec {
  return codec.choose !== undefined;
}

/** Maximum number of cached words, above which the cache is cleared. */
const mostWords = 1 << 16;

/**
 * Number of sentences examined at a time; memory for probabilities grows with tokens times labels.
 */
const atATime = 64;

/**
 * Whether a token's labels depend only on the token and its columns, so that a sentence of this token alone has the
 * same ones. A column can then be learned from each distinct word once, and values can be cached.
 */
export function looksAtWordsAlone(extractor: FeatureExtractor): boolean {
  const { plan, set, hasEdges, readsContext } = extractor;
  if (set.transitions || hasEdges || readsContext) return false;
  return plan.state.every(({ pieces, reals, vector }) =>
    [...pieces, ...reals, ...(vector === undefined ? [] : [vector.piece])].every(
      ({ atom, offset, absolute }) => atom === -1 || (offset === 0 && !absolute),
    ),
  );
}

/** Returns the columns that a model reads in addition to the tokens, without duplicates. */
export function columnsBeside(extractor: FeatureExtractor): readonly string[] {
  return [...new Set(extractor.plan.atoms.map(({ column }) => column))].filter(
    column => column !== 'form',
  );
}

/** A cached value of a form whose columns have these values. */
interface Kept {
  readonly columns: readonly string[];
  readonly value: string;
}

/** A token whose value is not yet known. */
interface Place {
  readonly sentence: number;
  readonly token: number;
}

/** Finds a column's values with a codec that chooses among labels; words known to the codec are not decoded. */
export class ChosenValues {
  readonly #model: Model;
  readonly #codec: ChoosingCodec;
  readonly #by: string | undefined;
  readonly #decoder: Decoder;
  /**
   * Columns on which the values of single words depend; undefined if they depend on other words.
   */
  readonly #columns: readonly string[] | undefined;
  /** Cached values by form. */
  #kept = new Map<string, Kept[]>();
  #size = 0;

  /** @param by column that the codec reads in addition to the form */
  constructor(model: Model, codec: ChoosingCodec, by: string | undefined) {
    this.#model = model;
    this.#codec = codec;
    this.#by = by;
    this.#decoder = new Decoder(model.kernel, model);
    if (!looksAtWordsAlone(model.extractor)) return;
    const columns = columnsBeside(model.extractor);
    this.#columns = by === undefined || columns.includes(by) ? columns : [...columns, by];
  }

  /** Returns the value of each token of each sentence. */
  valuesOf(sentences: readonly StringSentence[]): string[][] {
    const values = sentences.map(({ tokens }) => new Array<string>(tokens.length));
    const open: Place[] = [];
    for (let s = 0; s < sentences.length; s += 1)
      this.#fillKnown(sentences[s]!, s, values[s]!, open);
    if (this.#columns !== undefined) this.#decodeWords(sentences, values, open);
    else this.#decodeSentences(sentences, values, open);
    return values;
  }

  /** Fills in cached or fixed values, and collects the other tokens. */
  #fillKnown(sentence: StringSentence, s: number, values: string[], open: Place[]): void {
    const { tokens } = sentence;
    for (let t = 0; t < tokens.length; t += 1) {
      const known = this.#lookUp(sentence, t) ?? this.#settled(sentence, t);
      if (known === undefined) open.push({ sentence: s, token: t });
      else values[t] = known;
    }
  }

  #settled(sentence: StringSentence, t: number): string | undefined {
    const value = this.#codec.settled?.(this.#tokenOf(sentence, t));
    if (value !== undefined) this.#keep(sentence, t, value);
    return value;
  }

  #decodeWords(
    sentences: readonly StringSentence[],
    values: readonly string[][],
    open: readonly Place[],
  ): void {
    const columns = columnsBeside(this.#model.extractor);
    for (let from = 0; from < open.length; from += atATime) {
      // The same word may have been decoded with an earlier part.
      const part = open.slice(from, from + atATime).filter(({ sentence, token }) => {
        const known = this.#lookUp(sentences[sentence]!, token);
        if (known !== undefined) values[sentence]![token] = known;
        return known === undefined;
      });
      if (part.length === 0) continue;
      const words = part.map(({ sentence, token }) => {
        const { tokens, columns: all } = sentences[sentence]!;
        // Missing columns are left to the model, which reports them.
        const present = columns.filter(name => all[name] !== undefined);
        const own = present.map(name => [name, all[name]!.slice(token, token + 1)]);
        return {
          tokens: [tokens[token]!],
          columns: Object.fromEntries(own) as Record<string, Column>,
        };
      });
      this.#chooseAll(words, (i, _, choose) => {
        const { sentence: s, token } = part[i]!;
        const value = choose(this.#tokenOf(sentences[s]!, token));
        this.#keep(sentences[s]!, token, value);
        values[s]![token] = value;
      });
    }
  }

  #decodeSentences(
    sentences: readonly StringSentence[],
    values: readonly string[][],
    open: readonly Place[],
  ): void {
    const numbers = [...new Set(open.map(({ sentence }) => sentence))];
    for (let from = 0; from < numbers.length; from += atATime) {
      const part = numbers.slice(from, from + atATime);
      this.#chooseAll(
        part.map(s => sentences[s]!),
        (i, t, choose) => {
          const s = part[i]!;
          values[s]![t] ??= choose(this.#tokenOf(sentences[s]!, t));
        },
      );
    }
  }

  /** Calls `take` for each token of each sentence with its value's chooser. */
  #chooseAll(
    sentences: readonly StringSentence[],
    take: (sentence: number, token: number, choose: (token: ColumnToken) => string) => void,
  ): void {
    const model = this.#model;
    const part = { index: 0, count: 1, start: 0 };
    const encoded = sentences.map(({ tokens, columns }) =>
      model.encodeKnown({ tokens, columns, document: {}, part }),
    );
    model.reserve();
    const batch = packMinibatch(encoded);
    const options = { constraints: false, prune: false, marginals: 'all' } as const;
    const { labelMarginals } = this.#decoder.decode(model.parameters, batch, options);
    const { labels, values } = labelMarginals!;
    for (let s = 0; s < sentences.length; s += 1) {
      const first = batch.sentenceStarts[s]!;
      for (let t = 0; t < sentences[s]!.tokens.length; t += 1) {
        const start = (first + t) * labels.length;
        take(s, t, token => this.#codec.choose(token, labels, values, start));
      }
    }
  }

  #tokenOf({ tokens, columns }: StringSentence, t: number): ColumnToken {
    const tags = this.#by === undefined ? undefined : columns[this.#by];
    return { form: tokens[t]!, tag: tags === undefined ? undefined : String(tags[t]!) };
  }

  #lookUp({ tokens, columns }: StringSentence, t: number): string | undefined {
    const names = this.#columns;
    const all = names === undefined ? undefined : this.#kept.get(tokens[t]!);
    if (all === undefined) return undefined;
    for (const kept of all) {
      let i = 0;
      while (i < names!.length && kept.columns[i] === valueAt(columns, names![i]!, t)) i += 1;
      if (i === names!.length) return kept.value;
    }
    return undefined;
  }

  #keep(sentence: StringSentence, t: number, value: string): void {
    // A word may occur several times among those decoded together.
    if (this.#columns === undefined || this.#lookUp(sentence, t) !== undefined) return;
    const { tokens, columns } = sentence;
    if (this.#size === mostWords) {
      this.#kept = new Map();
      this.#size = 0;
    }
    const form = tokens[t]!;
    const own = this.#columns.map(name => valueAt(columns, name, t));
    const kept = this.#kept.get(form);
    if (kept === undefined) this.#kept.set(form, [{ columns: own, value }]);
    else kept.push({ columns: own, value });
    this.#size += 1;
  }
}

function valueAt(columns: StringSentence['columns'], name: string, t: number): string {
  return String(columns[name]?.[t]);
}
