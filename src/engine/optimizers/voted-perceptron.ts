import * as z from 'zod';
import type { Contribution } from '../core/training/contribution.js';
import type { State } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import { CoalescedGradient } from '../kernels/rows/coalesced-gradient.js';
import type { ParameterStore, VotingWeights } from '../kernels/store/parameter-store.js';
import {
  numberIn,
  placedTables,
  placesOfTable,
  tableOf,
  type WeightChange,
} from '../kernels/voting/voters.js';
import { Averaging } from './averaging/averaging.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { VoterHistory } from './voting/voter-history.js';
import { wrongTokens } from './wrong-tokens.js';

/** Finds the weights changed by an update, by comparing them before and after it. */
class WeightRecorder {
  readonly #gradient = new CoalescedGradient();
  #places = new Uint32Array(1024);
  #values = new Float64Array(1024);
  #count = 0;

  /** Saves the weights that sentence `s` may change. Cost O(active features * L + L^2). */
  before(store: ParameterStore, contribution: Contribution, s: number): void {
    this.#gradient.gather(store, contribution, s);
    this.#count = 0;
    for (const [number, table] of placedTables.entries()) {
      const { rows, count, size } = this.#gradient[table];
      const view = store.weights[table].view;
      this.#reserve(this.#count + count * size);
      for (const row of rows.slice(0, count).sort()) {
        for (let at = row * size; at < (row + 1) * size; at += 1) {
          this.#places[this.#count] = number * placesOfTable + at;
          this.#values[this.#count] = view[at]!;
          this.#count += 1;
        }
      }
    }
  }

  /** Returns the old values of the changed weights; places are ascending. */
  after({ weights, precision }: ParameterStore): WeightChange {
    const views = placedTables.map(table => weights[table].view);
    let changed = 0;
    for (let i = 0; i < this.#count; i += 1) {
      const place = this.#places[i]!;
      if (views[tableOf(place)]![numberIn(place)] === this.#values[i]) continue;
      this.#places[changed] = place;
      this.#values[changed] = this.#values[i]!;
      changed += 1;
    }
    const kept = this.#values.subarray(0, changed);
    return {
      places: this.#places.slice(0, changed),
      values: precision === 'float64' ? kept.slice() : Float32Array.from(kept),
    };
  }

  #reserve(count: number): void {
    if (count <= this.#places.length) return;
    const places = new Uint32Array(2 * count);
    const values = new Float64Array(2 * count);
    places.set(this.#places);
    values.set(this.#values);
    this.#places = places;
    this.#values = values;
  }
}

const options = z.strictObject({
  voters: z
    .int()
    .min(2)
    .max(10_000)
    .default(100)
    .describe('maximum number of weight vectors that vote; beyond it, neighbours are merged'),
});

/** Maximum number of values in all voters on a stream: 400 MB with a float64 kernel. */
const streamNumbers = 2 ** 25;

/** Options of `votedPerceptron`, with their defaults. */
export type VotedPerceptronOptions = z.infer<typeof options>;

/**
 * The voted structured perceptron: w += F(gold) - F(best) after each sentence with a mistake, as in `Perceptron`,
 * and all intermediate weights v_1, v_2, ... vote,
 *
 *     y(x) = argmax_z sum_i c_i [z = argmax_y v_i F(x, y)]
 *
 * where c_i counts the sentences that v_i survived: the one whose mistake created it, and those it got right. Ties
 * go to the sequence with the earliest voter. The model's own weights are the average of the v_i weighted by c_i,
 * Collins's (2002) approximation of the vote, for uses without voting. Freund and Schapire (1999).
 *
 * At most `voters` weights are kept (see `VoterHistory`); with at most that many mistakes this is exactly the
 * voted perceptron. Each voter is stored as its difference from the previous one, with 12 bytes per number (8 with
 * a float32 kernel) and at most twice as many numbers as weights; on a stream at most 2^25 numbers, above which
 * neighbours are also merged. Tagging decodes once per voter.
 */
export class VotedPerceptron implements Optimizer {
  readonly name = 'voted-perceptron';
  readonly stepSize = 1;
  readonly #context: OptimizerContext;
  readonly #averaging: Averaging;
  readonly #history: VoterHistory;
  readonly #recorder = new WeightRecorder();

  constructor({ voters }: VotedPerceptronOptions, context: OptimizerContext) {
    this.#context = context;
    this.#averaging = new Averaging(context.parameters);
    this.#history = new VoterHistory(voters, context.endless === true ? streamNumbers : undefined);
  }

  prepare(): void {
    const { parameters } = this.#context;
    this.#averaging.prepare(parameters);
    this.#history.prepare(parameters);
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      if (wrongTokens(contribution, s) === 0) {
        this.#averaging.follow(kernel, parameters, contribution, s, 0);
        this.#history.count();
        continue;
      }
      this.#recorder.before(parameters, contribution, s);
      kernel.accumulate(parameters, parameters.weights, contribution, s, -1);
      this.#averaging.follow(kernel, parameters, contribution, s, -1);
      this.#history.count(this.#recorder.after(parameters));
    }
    parameters.version += 1;
  }

  deploy(target: Plane): void {
    this.#averaging.deploy(this.#context.parameters, target);
  }

  voters(): VotingWeights | undefined {
    return this.#history.voters(this.#context.parameters);
  }

  forget(stateRows: Uint32Array, edgeRows: Uint32Array): void {
    this.#history.forget(stateRows, edgeRows, this.#context.parameters);
  }

  save(): State {
    const average = this.#averaging.save();
    const history = this.#history.save();
    return {
      json: { ...average.json, ...history.json },
      arrays: { ...average.arrays, ...history.arrays },
    };
  }

  restore(state: State): void {
    this.#averaging.restore(state);
    this.#history.restore(state, this.#context.parameters);
  }
}

/** The catalogue entry of `VotedPerceptron`. */
export const votedPerceptron: OptimizerComponent<VotedPerceptronOptions> = {
  name: 'voted-perceptron',
  summary:
    'all intermediate weight vectors vote on label sequences, weighted by how often each was right',
  options,
  example: 'optimize: { voted-perceptron: { voters: 100 } }',
  losses: ['perceptron'],
  votes: true,
  create: (chosen, context) => new VotedPerceptron(chosen, context),
};
