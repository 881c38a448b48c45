import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { maskTransitions } from '../../inference/mask-scores.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { allowsLists, structureOf } from '../../inference/structures/structures.js';
import { releaseLattice } from '../../inference/wide-lattice.js';
import type { Kernel } from '../../kernels/kernel.js';
import { decodingLattice, type Lattice } from '../../kernels/lattice.js';
import type { Model } from '../model.js';
import { asksForMore, type DecodeOptions } from './decode-options.js';
import type { Decoded } from './decoded.js';
import { Decoder, exceedsMemory } from './decoder.js';

const noNumbers = new Int32Array(0);
const noBytes = new Uint8Array(0);

type BatchKernel = Kernel & Required<Pick<Kernel, 'viterbiAll'>>;

function findsAll(kernel: Kernel): kernel is BatchKernel {
  return kernel.viterbiAll !== undefined;
}

/** Best label sequences of sentences given only as features. */
interface BestPaths {
  /** One label per token. */
  readonly labels: Int32Array;
  /** Number of sentences decoded; the next one has no possible sequence and needs `Decoder`. */
  readonly sentences: number;
}

/**
 * Finds the best label sequences of all sentences at once, equal to those of `Decoder`, if no other results are
 * requested and there are no dictionary and constraints.
 */
export class PathDecoder {
  readonly #model: Model;
  readonly #kernel: BatchKernel;
  readonly #lattice: Lattice;
  readonly #anyTransitions: boolean;
  readonly #allowsLists: boolean;
  #labels = new Int32Array(0);

  /** Returns a decoder, or undefined if the model or the options need the full `Decoder`. */
  static of(model: Model, options: DecodeOptions): PathDecoder | undefined {
    const { kernel, parameters } = model;
    const dictionary = options.dictionary ?? model.dictionary;
    if (dictionary !== undefined && dictionary !== false) return undefined;
    if (asksForMore(options) || !findsAll(kernel)) return undefined;
    if (!model.frozen || model.labels.size === 0) return undefined;
    if (!structureOf(parameters.layout).capabilities.includes('token features')) return undefined;
    if (parameters.compressed !== undefined || parameters.voters !== undefined) return undefined;
    return new PathDecoder(model, kernel, options.transitions === 'any');
  }

  private constructor(model: Model, kernel: BatchKernel, anyTransitions: boolean) {
    model.reserve();
    this.#model = model;
    this.#kernel = kernel;
    this.#anyTransitions = anyTransitions;
    this.#lattice = decodingLattice(model.parameters);
    this.#allowsLists = allowsLists(model.parameters.layout);
  }

  /**
   * Decodes sentences given as features. Cost O(active features * L + T L^2). The next call
   * overwrites the labels.
   *
   * @param fixed number of the label of each token that is known, whose features are not needed; -1 for the others
   */
  decode(features: PackedRows, starts: Uint32Array, fixed?: Int32Array): BestPaths {
    const tokens = starts[starts.length - 1]!;
    const batch: Minibatch = {
      // The kernel reads only the sentences' starts.
      ...{ sentences: [], gold: noNumbers, labelled: noBytes },
      ...{ tokens, sentenceStarts: starts },
      ...{ stateStarts: features.starts, stateRows: features.rows, fixed },
    };
    const { parameters } = this.#model;
    const mask = this.#anyTransitions ? undefined : this.#model.transitionMask;
    this.#lattice.whole = undefined;
    // If few labels per token remain, their transitions are read from the weights.
    this.#lattice.allowsLists = this.#allowsLists && mask === undefined;
    try {
      scoreBatch(this.#kernel, parameters, this.#lattice, batch);
    } catch (thrown) {
      if (!exceedsMemory(thrown)) throw thrown;
      // There are too many tokens at once, or the first sentence alone is too long; its record
      // identifies it.
      releaseLattice(this.#lattice);
      return { labels: this.#labels, sentences: 0 };
    } finally {
      this.#lattice.allowsLists = false;
    }
    if (mask !== undefined) maskTransitions(this.#lattice, mask);
    if (this.#labels.length < tokens) this.#labels = new Int32Array(tokens);
    const sentences = this.#kernel.viterbiAll(this.#lattice, this.#labels);
    return { labels: this.#labels, sentences };
  }
}

/** Results for the first sentences of a batch. */
export interface DecodedRows extends Omit<Decoded, 'scores' | 'rejected'> {
  /** Absent if all sentences' best labels are found at once. */
  readonly scores?: Float64Array;
  /**
   * Number of sentences decoded; the next one must be decoded from its record, or cannot be
   * decoded.
   */
  readonly sentences: number;
}

export interface RowDecoderOptions extends DecodeOptions {
  /** Whether sentence scores are requested. */
  readonly scores?: boolean | undefined;
}

/** Decodes sentences given as feature rows like `Decoder`, with tokens created on demand. */
export class RowDecoder {
  readonly #model: Model;
  readonly #options: DecodeOptions;
  readonly #paths: PathDecoder | undefined;
  readonly #decoder: Decoder;
  /** Whether a dictionary needs the tokens. */
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

  /** Whether only labels are requested. */
  get onlyPaths(): boolean {
    return this.#paths !== undefined;
  }

  /**
   * Decodes sentences at the cost of `Decoder`. The next call overwrites the labels.
   *
   * @param tokens returns a sentence's tokens, given its number
   * @param fixed number of the label of each token that is known, whose features are not needed; -1 for the others
   */
  decode(
    features: PackedRows,
    starts: Uint32Array,
    tokens: (sentence: number) => readonly string[],
    fixed?: Int32Array,
  ): DecodedRows {
    if (this.#paths !== undefined) return this.#paths.decode(features, starts, fixed);
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
      fixed,
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

/** A sentence whose strings and rows are created on access. */
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
