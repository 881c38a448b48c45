import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Model } from '../model.js';
import { asksForMore, type DecodeOptions } from './decode-options.js';
import type { Decoded } from './decoded.js';
import { Decoder } from './decoder.js';
import { PathDecoder } from './path-decoder.js';

/** What was found of the first sentences of a batch. */
export interface DecodedRows extends Omit<Decoded, 'scores' | 'rejected'> {
  /** Absent where the best labels are found for all sentences at once. */
  readonly scores?: Float64Array;
  /** Sentences that it holds for: the next one is to be decoded from its record, or cannot be. */
  readonly sentences: number;
}

export interface RowDecoderOptions extends DecodeOptions {
  /** Whether the scores of sentences are wanted. */
  readonly scores?: boolean | undefined;
}

/**
 * Decodes sentences of which there is nothing but the rows of their features, and tokens where somebody asks for
 * them, as `Decoder` does.
 */
export class RowDecoder {
  readonly #model: Model;
  readonly #options: DecodeOptions;
  readonly #paths: PathDecoder | undefined;
  readonly #decoder: Decoder;
  /** Whether tokens are looked at: they are in a dictionary. */
  readonly needsTokens: boolean;

  constructor(model: Model, { scores, ...options }: RowDecoderOptions) {
    this.#model = model;
    this.#options = options;
    const dictionary = options.dictionary ?? model.dictionary;
    this.needsTokens = dictionary !== undefined && dictionary !== false;
    const onlyPaths = scores !== true && !asksForMore(options);
    this.#paths = onlyPaths ? PathDecoder.of(model, options) : undefined;
    this.#decoder = new Decoder(model.kernel, model);
    model.reserve();
  }

  /** Whether labels are all that is asked for. */
  get onlyPaths(): boolean {
    return this.#paths !== undefined;
  }

  /**
   * Cost as that of `Decoder`. The labels are there until the next call.
   *
   * @param tokens of a sentence, by its number
   */
  decode(
    features: PackedRows,
    starts: Uint32Array,
    tokens: (sentence: number) => readonly string[],
  ): DecodedRows {
    if (this.#paths !== undefined) return this.#paths.decode(features, starts);
    const count = starts.length - 1;
    const sentences = Array.from(
      { length: count },
      (_, s) => new SentenceOfRows(features, starts, s, tokens),
    );
    const batch: Minibatch = {
      sentences,
      tokens: starts[count]!,
      sentenceStarts: starts,
      stateStarts: features.starts,
      stateRows: features.rows,
      gold: new Int32Array(0),
      labelled: new Uint8Array(count),
    };
    const { rejected, ...decoded } = this.#decoder.decode(
      this.#model.parameters,
      batch,
      this.#options,
    );
    const known = rejected === undefined ? count : Math.min(...rejected.keys());
    return { ...decoded, sentences: known };
  }
}

const noDocument: Document = {};

/** A sentence whose strings and rows are made when somebody reads them. */
class SentenceOfRows implements EncodedSentence, Sentence {
  readonly #features: PackedRows;
  readonly #first: number;
  readonly #number: number;
  readonly #tokens: (sentence: number) => readonly string[];
  readonly length: number;
  readonly columns = {};
  readonly document = noDocument;

  constructor(
    features: PackedRows,
    starts: Uint32Array,
    number: number,
    tokens: (sentence: number) => readonly string[],
  ) {
    this.#features = features;
    this.#number = number;
    this.#tokens = tokens;
    this.#first = starts[number]!;
    this.length = starts[number + 1]! - this.#first;
  }

  get sentence(): Sentence {
    return this;
  }

  get part(): Sentence['part'] {
    return { index: 0, count: 1, start: 0 };
  }

  get tokens(): readonly string[] {
    return this.#tokens(this.#number);
  }

  get stateStarts(): Uint32Array {
    const { starts } = this.#features;
    const from = starts[this.#first]!;
    const own = starts.subarray(this.#first, this.#first + this.length + 1);
    return own.map(start => start - from);
  }

  get stateRows(): Uint32Array {
    const { starts, rows } = this.#features;
    return rows.slice(starts[this.#first], starts[this.#first + this.length]);
  }
}
