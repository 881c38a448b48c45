import type { Reals } from '../../core/arrays.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { requireStructure } from '../../inference/structures/structures.js';
import { Lattice } from '../../kernels/lattice.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { contributionOf } from '../../losses/contribution-of.js';
import { hingeLoss } from '../../losses/hinge-loss.js';
import type { Loss } from '../../losses/loss.js';
import { addPath, clearResiduals } from '../../losses/residuals/residuals.js';
import { wrongTokens } from '../../optimizers/wrong-tokens.js';
import type { Objective } from '../objective.js';
import { type FreeParameters, weightBlocks } from '../vectors/free-parameters.js';
import { countActive, dot } from '../vectors/vectors.js';
import {
  type DualSequence,
  goldSequence,
  type MarginSpace,
  singleSentences,
  sparseProduct,
  worstLabels,
} from './margin-space.js';

/**
 * Max-margin with explicit features: w is a vector of the free parameters of an objective. Memory: w, plus the places of
 * each sentence's features.
 */
export class LinearSpace implements MarginSpace {
  readonly size: number;
  /** w. */
  readonly weights: Float64Array;
  readonly #objective: Objective;
  readonly #minibatches: readonly Minibatch[];
  readonly #active: readonly Uint32Array[];
  readonly #lattice: Lattice;
  readonly #plane: Plane;

  /** @param minibatches the objective's labelled sentences, one per minibatch */
  constructor(objective: Objective, minibatches: readonly Minibatch[]) {
    const { parameters, free } = objective;
    this.#objective = objective;
    this.#plane = parameters.addPlane();
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    this.#minibatches = minibatches;
    this.size = minibatches.length;
    this.#active = activeParameters(
      objective,
      minibatches.flatMap(({ sentences }) => sentences),
    );
    this.weights = new Float64Array(free.size);
  }

  /**
   * @param trainer name of the trainer
   * @throws TagstreamError `config` if a sentence is partially labelled, or the structure has no separate weights
   */
  static of(trainer: string, objective: Objective): LinearSpace {
    requireStructure(objective.parameters.layout, 'single weights', `the optimizer ${trainer}`);
    return new LinearSpace(objective, singleSentences(trainer, objective.corpus));
  }

  gold(i: number): Int32Array {
    return this.#minibatches[i]!.gold;
  }

  worst(i: number): DualSequence {
    const { free, parameters } = this.#objective;
    const active = this.#active[i]!;
    eachPlace(free, parameters.weights, active, (view, at, k) => {
      view[at] = this.weights[active[k]!]!;
    });
    parameters.version += 1;
    return this.#made(i, hingeLoss);
  }

  sequence(i: number, labels: Int32Array): DualSequence {
    const path: Loss = {
      ...{ name: 'hinge', summary: '', example: '', predicts: false, smooth: false },
      apply(_, lattice, s, gold) {
        clearResiduals(lattice, s);
        addPath(lattice, s, labels, 1);
        addPath(lattice, s, gold, -1);
        return 0;
      },
    };
    return this.#made(i, path);
  }

  /** Returns the sequence found by a loss, from its residuals. */
  #made(i: number, loss: Loss): DualSequence {
    const { kernel, parameters, free } = this.#objective;
    const minibatch = this.#minibatches[i]!;
    const made = contributionOf(kernel, parameters, this.#lattice, minibatch, loss);
    const cost = wrongTokens(made, 0) * (minibatch.weights?.[0] ?? 1);
    if (cost === 0) return goldSequence(minibatch.gold);
    kernel.accumulate(parameters, this.#plane, made, 0, 1);
    const places: number[] = [];
    const values: number[] = [];
    eachPlace(free, this.#plane, this.#active[i]!, (view, at, k) => {
      if (view[at] === 0) return;
      places.push(this.#active[i]![k]!);
      values.push(view[at]!);
      view[at] = 0;
    });
    const labels = worstLabels(made, minibatch.gold);
    return { labels, cost, places: Uint32Array.from(places), values: Float64Array.from(values) };
  }

  score({ places, values }: DualSequence): number {
    let sum = 0;
    for (let k = 0; k < places.length; k += 1) sum += values[k]! * this.weights[places[k]!]!;
    return sum;
  }

  product(_: number, y: DualSequence, z: DualSequence): number {
    return sparseProduct(y, z);
  }

  move(sequences: readonly DualSequence[], amounts: Float64Array): void {
    for (const [i, { places, values }] of sequences.entries()) {
      const amount = amounts[i]!;
      if (amount === 0) continue;
      for (let k = 0; k < places.length; k += 1) {
        this.weights[places[k]!]! += amount * values[k]!;
      }
    }
  }

  clear(): void {
    this.weights.fill(0);
  }

  squaredNorm(): number {
    return dot(this.weights, this.weights);
  }

  primal(): number {
    return this.#objective.evaluate(this.weights, new Float64Array(this.weights.length));
  }

  get active(): number {
    return countActive(this.weights);
  }

  settle(): void {
    this.#objective.place(this.weights);
  }
}

/** Visits the values of some free parameters in the tables of a plane; `k` is the index in `active`. */
function eachPlace(
  { state, edges }: FreeParameters,
  plane: Plane,
  active: Uint32Array,
  visit: (view: Reals, at: number, k: number) => void,
): void {
  const views = [plane.state.view, plane.edges.view, plane.pairs.view] as const;
  for (let k = 0; k < active.length; k += 1) {
    const i = active[k]!;
    const e = i - state.length;
    if (e < 0) visit(views[0], state[i]!, k);
    else if (e < edges.length) visit(views[1], edges[e]!, k);
    else visit(views[2], e - edges.length, k);
  }
}

/**
 * Returns for each sentence the free parameters of its features, as ascending indices into the vector of free
 * parameters. Sentences of two or more tokens include the plain transitions.
 */
function activeParameters(
  { free, parameters }: Objective,
  sentences: readonly EncodedSentence[],
): Uint32Array[] {
  const state = new Map<number, Uint32Array>();
  const edges = new Map<number, Uint32Array>();
  for (const { kind, row, at } of weightBlocks(free, parameters)) {
    (kind === 'state' ? state : edges).set(row, at);
  }
  return sentences.map(({ length, stateRows, edgeRows }) => {
    const parts: Uint32Array[] = [];
    for (const row of new Set(stateRows)) parts.push(state.get(row) ?? none);
    if (length > 1) {
      for (const row of new Set([0, ...(edgeRows ?? [])])) parts.push(edges.get(row) ?? none);
    }
    const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let from = 0;
    for (const part of parts) {
      all.set(part, from);
      from += part.length;
    }
    return all.sort();
  });
}

const none = new Uint32Array(0);
