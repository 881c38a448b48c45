import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { Random } from '../../core/random.js';
import { type State, stateNumber, wrongState } from '../../core/training/state.js';
import { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { contributionOf } from '../../losses/contribution-of.js';
import type { Optimizer, OptimizerContext } from '../../optimizers/optimizer.js';
import { copyPlane, planeArrays, restorePlane } from '../../optimizers/planes/planes.js';
import type { Objective } from '../objective.js';
import type { PassOrder } from '../trainer-component.js';

/** Options for an online optimizer's passes over the corpus of an objective. */
export interface OnlineOptions {
  readonly create: (context: OptimizerContext) => Optimizer;
  /** Number of sentences per minibatch. */
  readonly sentences: number;
  readonly order?: PassOrder | undefined;
}

/**
 * Passes of an online optimizer over the corpus of an objective, with the same order, minibatches
 * and updates as in a pipeline. The optimizer has separate weights; after each pass the objective's
 * parameters hold the weights that it would deploy.
 */
export class OnlinePasses {
  readonly #objective: Objective;
  readonly #options: OnlineOptions;
  readonly #store: ParameterStore;
  readonly #lattice: Lattice;
  readonly #optimizer: Optimizer;
  readonly #corpus: readonly EncodedSentence[];

  constructor(objective: Objective, options: OnlineOptions) {
    const { kernel, parameters } = objective;
    this.#objective = objective;
    this.#options = options;
    this.#store = parameters.emptyCopy();
    copyPlane(parameters.weights, this.#store.weights, parameters.scale);
    this.#lattice = new Lattice(this.#store.memory, this.#store.precision);
    this.#corpus = objective.corpus.flatMap(({ sentences }) => sentences);
    const corpusSize = this.#corpus.length;
    const again = new Lattice(this.#store.memory, this.#store.precision);
    const contribute = (minibatch: Minibatch) =>
      contributionOf(kernel, this.#store, again, minibatch, objective.loss);
    this.#optimizer = options.create({ kernel, parameters: this.#store, corpusSize, contribute });
  }

  /** Runs one pass; `number`, from 1, determines its order. */
  pass(number: number): void {
    const { order: { seed, shuffle } = { seed: 1, shuffle: true }, sentences } = this.#options;
    const order = Uint32Array.from(this.#corpus.keys());
    if (shuffle) new Random(seed * 1000003 + number).shuffle(order);
    for (let i = 0; i < order.length; i += sentences) {
      this.#learn(Array.from(order.subarray(i, i + sentences), s => this.#corpus[s]!));
    }
    const { parameters } = this.#objective;
    this.#optimizer.deploy(parameters.weights);
    parameters.scale = 1;
    parameters.version += 1;
    this.#objective.evaluations += 1;
  }

  #learn(sentences: readonly EncodedSentence[]): void {
    const { kernel, loss } = this.#objective;
    const minibatch = packMinibatch(sentences);
    this.#optimizer.prepare(minibatch.positions ?? minibatch);
    const contribution = contributionOf(kernel, this.#store, this.#lattice, minibatch, loss);
    if (contribution.sentenceCount > 0) this.#optimizer.apply(contribution);
  }

  save(): State {
    const { json, arrays } = this.#optimizer.save();
    const own = Object.entries(arrays).map(([name, array]) => [`optimizer.${name}`, array]);
    return {
      json: { optimizer: json, scale: this.#store.scale },
      arrays: { ...planeArrays('online', this.#store.weights), ...Object.fromEntries(own) },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const { optimizer } = state.json;
    if (typeof optimizer !== 'object' || optimizer === null) throw wrongState('no optimizer');
    restorePlane('online', this.#store.weights, state);
    this.#store.scale = stateNumber(state, 'scale');
    const prefix = 'optimizer.';
    const own = Object.entries(state.arrays)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, array]) => [name.slice(prefix.length), array]);
    this.#optimizer.restore({ json: optimizer as State['json'], arrays: Object.fromEntries(own) });
  }
}
