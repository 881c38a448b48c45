import type { PackedRows } from '../../core/minibatch/join-rows.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { maskTransitions } from '../../inference/mask-scores.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { isLinearChain } from '../../inference/structures/is-linear-chain.js';
import { structureOf } from '../../inference/structures/structures.js';
import { decodingLattice } from '../../kernels/decoding-lattice.js';
import type { Lattice } from '../../kernels/lattice.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import type { Model } from '../model.js';
import { asksForMore, type DecodeOptions } from './decode-options.js';

const noNumbers = new Int32Array(0);
const noBytes = new Uint8Array(0);

/** The best label sequences of sentences of which there is nothing but their features. */
export interface BestPaths {
  /** One label a token. */
  readonly labels: Int32Array;
  /** Sentences that it holds for: the next one has no possible sequence, and is to be decoded by `Decoder`. */
  readonly sentences: number;
}

/**
 * Finds the best label sequences as `Decoder` does, where nothing else is asked for, and no dictionary and no
 * constraints stand in the way: all sentences at once.
 */
export class PathDecoder {
  readonly #model: Model;
  readonly #kernel: SimdKernel;
  readonly #lattice: Lattice;
  readonly #anyTransitions: boolean;
  readonly #isLinearChain: boolean;
  #labels = new Int32Array(0);

  /** Undefined where a model or what is asked for takes more. */
  static of(model: Model, options: DecodeOptions): PathDecoder | undefined {
    const { kernel, parameters } = model;
    const dictionary = options.dictionary ?? model.dictionary;
    if (dictionary !== undefined && dictionary !== false) return undefined;
    if (asksForMore(options) || !(kernel instanceof SimdKernel)) return undefined;
    if (!model.frozen || model.labels.size === 0) return undefined;
    if (!structureOf(parameters.layout).capabilities.includes('token features')) return undefined;
    if (parameters.compressed !== undefined || parameters.voters !== undefined) return undefined;
    return new PathDecoder(model, kernel, options.transitions === 'any');
  }

  private constructor(model: Model, kernel: SimdKernel, anyTransitions: boolean) {
    model.reserve();
    this.#model = model;
    this.#kernel = kernel;
    this.#anyTransitions = anyTransitions;
    this.#lattice = decodingLattice(model.parameters);
    this.#isLinearChain = isLinearChain(model.parameters.layout);
  }

  /** Cost O(active features * L + T L^2). The labels are there until the next call. */
  decode(features: PackedRows, starts: Uint32Array): BestPaths {
    const tokens = starts[starts.length - 1]!;
    const batch: Minibatch = {
      // Nobody asks for more of them than where they begin.
      ...{ sentences: [], gold: noNumbers, labelled: noBytes },
      ...{ tokens, sentenceStarts: starts },
      ...{ stateStarts: features.starts, stateRows: features.rows },
    };
    const { parameters } = this.#model;
    const mask = this.#anyTransitions ? undefined : this.#model.transitionMask;
    this.#lattice.whole = undefined;
    // Where a few labels a token are left, their transitions are read from the weights.
    this.#lattice.allowsLists = this.#isLinearChain && mask === undefined;
    scoreBatch(this.#kernel, parameters, this.#lattice, batch);
    this.#lattice.allowsLists = false;
    if (mask !== undefined) maskTransitions(this.#lattice, mask);
    if (this.#labels.length < tokens) this.#labels = new Int32Array(tokens);
    const sentences = this.#kernel.viterbiAll(this.#lattice, this.#labels);
    return { labels: this.#labels, sentences };
  }
}
