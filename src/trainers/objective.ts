import type { Contribution } from '../core/contribution.js';
import type { Minibatch } from '../core/minibatch.js';
import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/parameter-store.js';
import type { Plane } from '../kernels/plane.js';
import { contributionOf } from '../losses/contribution-of.js';
import type { Loss } from '../losses/loss.js';
import { CompactLosses } from './compact-losses.js';
import { FreeParameters } from './free-parameters.js';

/** What an objective is made of. */
export interface ObjectiveOptions {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  /** The corpus, in the order in which its losses are summed. */
  readonly corpus: readonly Minibatch[];
  readonly loss: Loss;
  /** L2 penalty: l2 * sum w^2. Default 0. */
  readonly l2?: number;
}

/**
 * What batch trainers minimise, as a function of the free parameters:
 *
 *     f(w) = sum of the sentences' losses + l2 * sum w^2
 *
 * An L1 penalty is not smooth, and is added by the trainers that can handle it. The gradient is summed in
 * the kernel's precision; a float32 kernel leaves some four digits of it.
 */
export class Objective {
  readonly free: FreeParameters;
  readonly parameters: ParameterStore;
  readonly l2: number;
  /** Passes over the corpus so far. */
  evaluations = 0;
  readonly #options: ObjectiveOptions;
  readonly #lattice: Lattice;
  readonly #gradient: Plane | undefined;
  /** Sums the losses where only observed pairs have weights. */
  readonly #compact: CompactLosses | undefined;

  constructor(options: ObjectiveOptions) {
    const { kernel, parameters, corpus, loss } = options;
    this.#options = options;
    this.parameters = parameters;
    this.l2 = options.l2 ?? 0;
    this.free = new FreeParameters(parameters);
    if (parameters.support === undefined) this.#gradient = parameters.addPlane();
    else this.#compact = new CompactLosses(kernel, parameters, corpus, loss);
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    kernel.scalePlane(parameters.weights, parameters.scale);
    parameters.scale = 1;
  }

  /** The corpus, in the order in which its losses are summed. */
  get corpus(): readonly Minibatch[] {
    return this.#options.corpus;
  }

  get kernel(): Kernel {
    return this.#options.kernel;
  }

  /** The loss that is summed. */
  get loss(): Loss {
    return this.#options.loss;
  }

  /** The present weights as a vector. */
  weights(): Float64Array {
    const vector = new Float64Array(this.free.size);
    this.free.gather(this.parameters.weights, vector);
    return vector;
  }

  /** Puts the weights of a vector into the parameters. */
  place(weights: Float64Array): void {
    this.free.scatter(weights, this.parameters.weights);
    this.parameters.version += 1;
  }

  /**
   * f(weights), and its gradient into `gradient`; the parameters then hold these weights. Cost: one
   * forward-backward pass over the corpus.
   *
   * @param losses where the loss of each sentence goes, in the order of the corpus
   * @throws TagstreamError `numeric` where a loss is not finite
   */
  evaluate(weights: Float64Array, gradient: Float64Array, losses?: Float64Array): number {
    this.place(weights);
    this.evaluations += 1;
    const value = this.#compact?.sum(weights, gradient, losses) ?? this.#sum(gradient, losses);
    return this.l2 === 0 ? value : value + this.#penalise(weights, gradient);
  }

  /** The sum of the losses by the dense parameters. */
  #sum(gradient: Float64Array, losses?: Float64Array): number {
    const { kernel, parameters, corpus, loss } = this.#options;
    const plane = this.#gradient!;
    for (const table of [plane.state, plane.edges, plane.pairs]) table.view.fill(0);
    let value = 0;
    let sentences = 0;
    for (const minibatch of corpus) {
      const contribution = contributionOf(kernel, parameters, this.#lattice, minibatch, loss);
      value += contribution.loss;
      losses?.set(contribution.losses, sentences);
      sentences += minibatch.sentences.length;
      for (let s = 0; s < minibatch.sentences.length; s += 1) {
        if (minibatch.labelled[s] === 0) continue;
        kernel.accumulate(parameters, plane, contribution, s, 1, true);
      }
    }
    this.free.gather(plane, gradient);
    return value;
  }

  /**
   * What chosen sentences say about the present weights, without the penalty; valid until the next one.
   * `loss` may be another than the objective's. Cost: one forward-backward pass over them.
   *
   * @throws TagstreamError `numeric` where a loss is not finite
   */
  contribute(minibatch: Minibatch, loss = this.#options.loss): Contribution {
    const { kernel, parameters } = this.#options;
    return contributionOf(kernel, parameters, this.#lattice, minibatch, loss);
  }

  #penalise(weights: Float64Array, gradient: Float64Array): number {
    let squares = 0;
    for (let i = 0; i < weights.length; i += 1) {
      const w = weights[i]!;
      squares += w * w;
      gradient[i]! += 2 * this.l2 * w;
    }
    return this.l2 * squares;
  }
}
