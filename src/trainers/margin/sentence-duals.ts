import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import { Lattice } from '../../kernels/lattice.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { contributionOf } from '../../losses/contribution-of.js';
import type { Objective } from '../objective.js';
import { savedVector } from '../vectors/saved-vector.js';
import { activeParameters } from './active-parameters.js';
import { eachPlace } from './each-place.js';
import { SoftMargin } from './soft-margin.js';

/** What the distribution of a sentence expects: the features, less the gold ones, and the cost. */
export interface Expectation {
  readonly features: Float64Array;
  readonly cost: number;
}

/**
 * A distribution over the label sequences of each sentence,
 *
 *     a_i(y) proportional to exp(v_i . F(y) + factor_i * wrong(y)),
 *
 * with v_i over the parameters that the sentence's features have. Memory: two numbers for each of them.
 */
export class SentenceDuals {
  /** Of each sentence, the places of its parameters in the vector of free parameters. */
  readonly active: readonly Uint32Array[];
  readonly exponents: Float64Array[];
  readonly expected: Float64Array[];
  readonly factors: Float64Array;
  readonly steps: Float64Array;
  readonly costs: Float64Array;
  /** Sentences looked at so far. */
  looked = 0;
  readonly #objective: Objective;
  readonly #store: ParameterStore;
  readonly #gradient: Plane;
  readonly #lattice: Lattice;
  readonly #margin = new SoftMargin();
  readonly #minibatches: readonly ReturnType<typeof packMinibatch>[];

  /**
   * @param step size of the first step of each sentence
   * @param start minus the first factor of each
   */
  constructor(objective: Objective, step: number, start: number) {
    this.#objective = objective;
    this.#store = objective.parameters.emptyCopy();
    this.#gradient = this.#store.addPlane();
    this.#lattice = new Lattice(this.#store.memory, this.#store.precision);
    const sentences = objective.corpus.flatMap(minibatch =>
      minibatch.sentences.filter((_, s) => minibatch.labelled[s] === 1),
    );
    this.#minibatches = sentences.map(sentence => packMinibatch([sentence]));
    this.active = activeParameters(objective, sentences);
    this.exponents = this.active.map(({ length }) => new Float64Array(length));
    this.factors = new Float64Array(sentences.length).fill(-start);
    this.steps = new Float64Array(sentences.length).fill(step);
    this.costs = new Float64Array(sentences.length);
    this.expected = this.active.map(({ length }) => new Float64Array(length));
  }

  /** What the distribution of sentence `i` with these exponents expects. Cost: a forward-backward pass over it. */
  expect(i: number, exponent: Float64Array, factor: number): Expectation {
    const { kernel } = this.#objective;
    const active = this.active[i]!;
    const { free } = this.#objective;
    eachPlace(free, this.#store.weights, active, (view, at, k) => {
      view[at] = exponent[k]!;
    });
    this.#store.version += 1;
    this.#margin.factor = factor;
    this.#margin.cost = 0;
    const minibatch = this.#minibatches[i]!;
    const made = contributionOf(kernel, this.#store, this.#lattice, minibatch, this.#margin);
    kernel.accumulate(this.#store, this.#gradient, made, 0, 1, true);
    const features = new Float64Array(active.length);
    eachPlace(free, this.#gradient, active, (view, at, k) => {
      features[k] = view[at]!;
      view[at] = 0;
    });
    this.looked += 1;
    return { features, cost: this.#margin.cost };
  }

  save(): State {
    return {
      json: { looked: this.looked },
      arrays: {
        exponents: joinedVectors(this.exponents),
        expected: joinedVectors(this.expected),
        factors: this.factors,
        steps: this.steps,
        costs: this.costs,
      },
    };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit together */
  restore(state: State): void {
    const { looked } = state.json;
    if (!Number.isSafeInteger(looked)) throw wrongState('looked is no count');
    this.looked = looked as number;
    const total = this.active.reduce((sum, { length }) => sum + length, 0);
    const exponents = savedVector(state, 'exponents', total);
    const expected = savedVector(state, 'expected', total);
    let from = 0;
    for (const [i, { length }] of this.active.entries()) {
      this.exponents[i]!.set(exponents.subarray(from, from + length));
      this.expected[i]!.set(expected.subarray(from, from + length));
      from += length;
    }
    for (const name of ['factors', 'steps', 'costs'] as const) {
      this[name].set(savedVector(state, name, this[name].length));
    }
  }
}

function joinedVectors(vectors: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const vector of vectors) {
    all.set(vector, from);
    from += vector.length;
  }
  return all;
}
