import type { Minibatch } from '../core/minibatch.js';
import { forwardBackward } from '../inference/forward-backward.js';
import { posteriorDecode } from '../inference/posterior-decode.js';
import { scoreBatch } from '../inference/score-batch.js';
import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import type { ParameterStore } from '../kernels/parameter-store.js';

/** How labels are chosen, and what is wanted beside them. */
export interface DecodeOptions {
  /** `viterbi`: the best sequence; `posterior`: the best label of each token. Default viterbi. */
  readonly decoding?: 'viterbi' | 'posterior';
  /** Also the probability of each chosen label at its token. */
  readonly marginals?: boolean;
}

/** Labels of all tokens of a minibatch, and what was asked for beside them. */
export interface Decoded {
  readonly labels: Int32Array;
  /** Score of each sentence's labels: sum of emission and transition scores. */
  readonly scores: Float64Array;
  /** p(y_t = chosen | x) of each token. */
  readonly marginals?: Float64Array;
}

/** Decodes minibatches with one set of parameters, in a lattice of its own. Changes neither. */
export class Decoder {
  readonly #kernel: Kernel;
  readonly #lattices = new WeakMap<ParameterStore, Lattice>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Cost O(active features * L + T L^2). */
  decode(parameters: ParameterStore, batch: Minibatch, options: DecodeOptions = {}): Decoded {
    const lattice = this.#latticeOf(parameters);
    const kernel = this.#kernel;
    scoreBatch(kernel, parameters, lattice, batch);
    const labels = new Int32Array(batch.tokens);
    const scores = new Float64Array(batch.sentences.length);
    const posterior = options.decoding === 'posterior';
    const marginals = options.marginals === true ? new Float64Array(batch.tokens) : undefined;
    for (let s = 0; s < scores.length; s += 1) {
      if (!posterior) scores[s] = kernel.viterbi(lattice, s, labels);
      if (posterior || marginals !== undefined) forwardBackward(kernel, lattice, s);
      if (posterior) {
        posteriorDecode(lattice, s, labels);
        scores[s] = kernel.pathScore(lattice, s, labels);
      }
    }
    if (marginals === undefined) return { labels, scores };
    const nodes = lattice.nodes.view;
    for (let t = 0; t < marginals.length; t += 1) {
      marginals[t] = nodes[t * lattice.width + labels[t]!]!;
    }
    return { labels, scores, marginals };
  }

  /** The working memory for some parameters; kernels want both in one memory. */
  #latticeOf(parameters: ParameterStore): Lattice {
    let lattice = this.#lattices.get(parameters);
    if (lattice === undefined) {
      lattice = new Lattice(parameters.memory, parameters.precision);
      this.#lattices.set(parameters, lattice);
    }
    return lattice;
  }
}
