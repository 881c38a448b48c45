import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { stateCount } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../only-loss.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dot } from '../vectors/dot.js';
import { type DualSequence, DualSequences } from './dual-sequences.js';
import { eachPlace } from './each-place.js';

const options = z.strictObject({
  l2: z.number().positive().default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  steps: z
    .int()
    .min(1)
    .default(10)
    .describe('most pairs of label sequences of a sentence that are balanced at each visit'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-4)
    .describe('convergence threshold on the duality gap, relative to the objective'),
});

export type SmoOptions = z.infer<typeof options>;

/**
 * Sequential minimal optimization of the max-margin dual. Primal: the summed hinge losses with Hamming cost and
 * l2 * sum w^2; dual, over a distribution a_i of label sequences for each sentence,
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 *
 * At each visit to a sentence the sequence y with the greatest h(y) = wrong(y) + w . (F(y) - F(y*)) is found by Viterbi
 * over all sequences, and the sequence z with a(z) > 0 and the least h(z). Where h(y) > h(z) the pair violates the
 * conditions of Karush, Kuhn and Tucker, and mass moves from z to y, as much as is best:
 *
 *     delta = min(a(z), 2 l2 (h(y) - h(z)) / |F(y) - F(z)|^2)
 *
 * Further pairs of the visit are taken among sequences with a > 0. Only these are kept, so that no marginals have to be
 * turned into sequences, for which Gupta's report, section 2.4.1, takes those of maximum entropy. The gap between
 * primal and dual bounds how far both are from the optimum; `gradientNorm` holds it. Weights are 0 at first, whatever
 * they were. Cost of an iteration: Viterbi over the corpus twice. Taskar, Guestrin and Koller (2003); Platt (1998).
 */
export class Smo implements Trainer {
  readonly name = 'smo';
  readonly #options: SmoOptions;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #sequences: DualSequences;
  #weights: Float64Array;
  #passes = 0;

  /**
   * @param objective with the hinge loss, and the penalty of the options
   * @throws TagstreamError `config` if a sentence is partially labelled
   */
  constructor(chosen: SmoOptions, objective: Objective) {
    this.#options = chosen;
    this.#objective = objective;
    const { tolerance } = chosen;
    this.#progress = new TrainerProgress(objective, { tolerance, decrease: 0, period: 1 });
    this.#sequences = new DualSequences(objective, needsGold);
    this.#weights = new Float64Array(objective.free.size);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    const objective = this.#objective;
    progress.iteration += 1;
    objective.place(this.#weights);
    let moved = false;
    for (let i = 0; i < this.#sequences.of.length; i += 1) if (this.#visit(i)) moved = true;
    this.#passes += 1;
    this.#weights = this.#weightsOf();
    progress.value = objective.evaluate(this.#weights, new Float64Array(this.#weights.length));
    const gap = Math.max(0, progress.value - this.#dual());
    const done = gap <= this.#options.tolerance * Math.max(1, Math.abs(progress.value));
    const ending = done ? 'gap' : moved ? undefined : 'precision';
    const { evaluations, ...result } = progress.result(this.#weights, gap, ending);
    return { ...result, evaluations: evaluations + this.#passes };
  }

  /** Balances pairs of sequences of a sentence; whether there were any to balance. */
  #visit(i: number): boolean {
    const own = this.#sequences.of[i]!;
    const worst = this.#sequences.worst(i);
    const known = own.find(each => each.labels.every((y, t) => y === worst.labels[t]));
    const first = known ?? worst;
    if (known === undefined) own.push(first);
    let moved = false;
    for (let step = 0; step < this.#options.steps; step += 1) {
      const heights = own.map(each => this.#height(each));
      let high = step === 0 ? own.indexOf(first) : 0;
      let low = -1;
      for (let k = 0; k < own.length; k += 1) {
        if (step > 0 && heights[k]! > heights[high]!) high = k;
        if (own[k]!.alpha > 0 && (low < 0 || heights[k]! < heights[low]!)) low = k;
      }
      const violation = heights[high]! - heights[low]!;
      if (!(violation > 1e-12 * (1 + Math.abs(heights[high]!)))) break;
      if (!this.#balance(own[high]!, own[low]!, violation)) break;
      moved = true;
    }
    this.#sequences.of[i] = own.filter(({ alpha, cost }) => alpha > 0 || cost === 0);
    return moved;
  }

  /** wrong(y) + w . (F(y) - F(y*)). */
  #height({ cost, places, values }: DualSequence): number {
    let sum = cost;
    for (let k = 0; k < places.length; k += 1) sum += values[k]! * this.#weights[places[k]!]!;
    return sum;
  }

  /** Moves as much of the dual variable of one sequence to another as makes the dual largest. */
  #balance(to: DualSequence, from: DualSequence, violation: number): boolean {
    const { places, values } = difference(to, from);
    const norm = dot(values, values);
    const { l2 } = this.#options;
    const best = norm === 0 ? Number.POSITIVE_INFINITY : (2 * l2 * violation) / norm;
    const delta = Math.min(from.alpha, best);
    if (!(delta > 0)) return false;
    to.alpha += delta;
    from.alpha = delta === from.alpha ? 0 : from.alpha - delta;
    for (let k = 0; k < places.length; k += 1) {
      this.#weights[places[k]!]! -= (delta * values[k]!) / (2 * l2);
    }
    const { free, parameters } = this.#objective;
    eachPlace(free, parameters.weights, places, (view, at, k) => {
      view[at] = this.#weights[places[k]!]!;
    });
    parameters.version += 1;
    return true;
  }

  /** w(a), summed again so that rounding does not add up. */
  #weightsOf(): Float64Array {
    const weights = new Float64Array(this.#weights.length);
    for (const { alpha, places, values } of this.#sequences.of.flat()) {
      for (let k = 0; k < places.length; k += 1) weights[places[k]!]! -= alpha * values[k]!;
    }
    for (let at = 0; at < weights.length; at += 1) weights[at]! /= 2 * this.#options.l2;
    return weights;
  }

  #dual(): number {
    const all = this.#sequences.of.flat();
    const cost = all.reduce((sum, each) => sum + each.alpha * each.cost, 0);
    return cost - this.#options.l2 * dot(this.#weights, this.#weights);
  }

  save(): State {
    const json = { ...this.#progress.save(), passes: this.#passes };
    return { json, ...this.#sequences.save() };
  }

  restore(state: State): void {
    this.#sequences.restore(state);
    this.#passes = stateCount(state, 'passes');
    this.#progress.restore(state);
    this.#weights = this.#weightsOf();
    this.#objective.place(this.#weights);
  }
}

/** F(y) - F(z), from what both differ in from the gold sequence; places rise. */
function difference(y: DualSequence, z: DualSequence): Pick<DualSequence, 'places' | 'values'> {
  const places = new Uint32Array(y.places.length + z.places.length);
  const values = new Float64Array(places.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < y.places.length || j < z.places.length) {
    const a = y.places[i] ?? Number.POSITIVE_INFINITY;
    const b = z.places[j] ?? Number.POSITIVE_INFINITY;
    places[count] = Math.min(a, b);
    if (a <= b) values[count]! += y.values[i++]!;
    if (b <= a) values[count]! -= z.values[j++]!;
    count += 1;
  }
  return { places: places.subarray(0, count), values: values.subarray(0, count) };
}

function needsGold(): TagstreamError {
  return new TagstreamError('config', 'smo does not support partially labelled sentences', {
    fix: 'omit them, or use sgd with the loss hinge',
  });
}

/** `Smo` as pipeline files name it. */
export const smo: TrainerComponent<SmoOptions> = {
  name: 'smo',
  summary: 'sequential minimal optimization of the max-margin dual over the whole corpus, with L2',
  options,
  example: 'optimize: { smo: { l2: 1 } }',
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create: (chosen, context) => new Smo(chosen, context.objective(chosen.l2)),
};
