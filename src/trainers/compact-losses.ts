import type { Contribution } from '../core/contribution.js';
import type { Minibatch } from '../core/minibatch.js';
import { packRows } from '../core/pack-rows.js';
import { PackedMinibatch } from '../core/packed-minibatch.js';
import { stateRowsOf } from '../core/rows-of-sentence.js';
import { CompactPlane } from '../kernels/compact/compact-plane.js';
import { compactStore } from '../kernels/compact/compact-store.js';
import { placeFeatures } from '../kernels/compact/place-features.js';
import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/parameter-store.js';
import { contributionOf } from '../losses/contribution-of.js';
import type { Loss } from '../losses/loss.js';
import { FreeParameters } from './free-parameters.js';

/** Sentences that are scored at once: their tables are to stay in the second cache. */
const atOnce = 16;

/**
 * The sum of a corpus's losses where only observed pairs have weights, by a compact store: weights and
 * gradient are one number for each free parameter, and the corpus lies in the kernel's memory once and for
 * all. Cost of an evaluation: that of a forward-backward pass and of the pairs of the active features.
 */
export class CompactLosses {
  readonly #kernel: Kernel;
  readonly #loss: Loss;
  readonly #store: ParameterStore;
  readonly #lattice: Lattice;
  readonly #gradient: CompactPlane;
  readonly #corpus: readonly Minibatch[];
  /** Everything but the state parameters. */
  readonly #others: FreeParameters;

  constructor(
    kernel: Kernel,
    parameters: ParameterStore,
    corpus: readonly Minibatch[],
    loss: Loss,
  ) {
    this.#kernel = kernel;
    this.#loss = loss;
    this.#store = compactStore(parameters);
    this.#lattice = new Lattice(this.#store.memory, this.#store.precision);
    this.#gradient = new CompactPlane(this.#store);
    this.#others = new FreeParameters(this.#store);
    this.#corpus = placed(this.#store, corpus);
  }

  /** The sum of the losses; its gradient goes into `gradient`, the loss of each sentence into `losses`. */
  sum(weights: Float64Array, gradient: Float64Array, losses?: Float64Array): number {
    const compressed = this.#store.compressed!;
    const { size } = compressed;
    const plane = this.#gradient;
    compressed.set(weights);
    this.#others.scatter(weights.subarray(size), this.#store.weights);
    this.#store.version += 1;
    plane.clear();
    let value = 0;
    let sentences = 0;
    for (const minibatch of this.#corpus) {
      const made = this.#add(minibatch);
      value += made.loss;
      losses?.set(made.losses, sentences);
      sentences += minibatch.sentences.length;
    }
    plane.fold();
    gradient.set(plane.state.view);
    this.#others.gather(plane, gradient.subarray(size));
    return value;
  }

  #add(minibatch: Minibatch): Contribution {
    const kernel = this.#kernel;
    const made = contributionOf(kernel, this.#store, this.#lattice, minibatch, this.#loss);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (minibatch.labelled[s] === 0) continue;
      kernel.accumulateCompressed(this.#store, this.#gradient, made, s);
    }
    return made;
  }
}

/** The corpus as minibatches whose state features are in the memory of a store. */
function placed({ compressed }: ParameterStore, corpus: readonly Minibatch[]): Minibatch[] {
  const sentences = corpus.flatMap(minibatch => minibatch.sentences);
  const tokens = sentences.reduce((sum, { length }) => sum + length, 0);
  const places = placeFeatures(compressed!, packRows(sentences, tokens, stateRowsOf));
  const batches: Minibatch[] = [];
  let firstToken = 0;
  for (let from = 0; from < sentences.length; from += atOnce) {
    const some = sentences.slice(from, from + atOnce);
    const minibatch = new PackedMinibatch(some, { ...places, firstToken });
    batches.push(minibatch);
    firstToken += minibatch.tokens;
  }
  return batches;
}
