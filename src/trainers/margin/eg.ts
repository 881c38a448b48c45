import * as z from 'zod';
import type { State } from '../../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../only-loss.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dot } from '../vectors/dot.js';
import { SentenceDuals } from './sentence-duals.js';

const options = z.strictObject({
  l2: z.number().positive().default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  update: z
    .enum(['sentence', 'batch'])
    .default('sentence')
    .describe('sentence: weights follow after each sentence; batch: after all, by one step size'),
  step: z.number().positive().default(0.5).describe('initial step size eta of each sentence'),
  grow: z
    .number()
    .min(1)
    .default(1.2)
    .describe('growth factor of the step size after a successful step'),
  start: z
    .number()
    .min(0)
    .default(8)
    .describe('log of how much more likely the gold label of a token is at first than another one'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-3)
    .describe('convergence threshold on the duality gap, relative to the objective'),
});

export type EgOptions = z.infer<typeof options>;

const mostHalvings = 40;

/**
 * Exponentiated gradient on the dual of max-margin training. The primal objective is the summed hinge losses
 * with Hamming cost and l2 * sum w^2; the dual, over a distribution a_i of label sequences for each sentence,
 *
 *     D(a) = sum_i E_a[wrong] - l2 |w(a)|^2,   w(a) = sum_i (F(y*_i) - E_a[F]) / (2 l2)
 *     a_i(y) <- a_i(y) exp(eta_i (wrong(y) + w . F(y))) / normaliser
 *
 * for one sentence after the other, w following at once, each with a step size of its own; or in `batch` for all
 * sentences at the same w, with one step size (Gupta's report, algorithm 2, has a constant one). A step that makes the
 * dual smaller is halved, and the next one grows. The
 * exponents are scores of parts, of the features that the sentence has. The gap between primal and dual bounds
 * how far both are from the optimum; `gradientNorm` holds it. Whatever the weights, a_i(y) ~ exp(-start * wrong(y)) at
 * first: uniform distributions (`start: 0`) are far from the optimum, where most sentences have hardly a wrong label. Cost of an iteration: two or three passes over the corpus. Bartlett, Collins, Taskar and
 * McAllester (2004).
 */
export class ExponentiatedGradient implements Trainer {
  readonly name = 'eg';
  readonly #options: EgOptions;
  readonly #objective: Objective;
  readonly #duals: SentenceDuals;
  readonly #progress: TrainerProgress;
  #weights: Float64Array;

  /** @param objective with the hinge loss, and the penalty of the options */
  constructor(chosen: EgOptions, objective: Objective) {
    this.#options = chosen;
    this.#objective = objective;
    this.#duals = new SentenceDuals(objective, chosen.step, chosen.start);
    const { tolerance } = chosen;
    this.#progress = new TrainerProgress(objective, { tolerance, decrease: 0, period: 1 });
    this.#weights = new Float64Array(objective.free.size);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    const duals = this.#duals;
    if (Number.isNaN(progress.value)) this.#begin();
    progress.iteration += 1;
    let moved = false;
    if (this.#options.update === 'batch') moved = this.#stepOfAll();
    else for (let i = 0; i < duals.active.length; i += 1) if (this.#step(i)) moved = true;
    this.#weights = this.#weightsOf();
    const unused = new Float64Array(this.#weights.length);
    progress.value = this.#objective.evaluate(this.#weights, unused);
    const dual = this.#dual();
    const gap = Math.max(0, progress.value - dual);
    const done = gap <= this.#options.tolerance * Math.max(1, Math.abs(progress.value));
    const ending: Ending | undefined = done ? 'gap' : moved ? undefined : 'precision';
    const { evaluations, ...result } = progress.result(this.#weights, gap, ending);
    const passes = Math.floor(duals.looked / Math.max(1, duals.active.length));
    return { ...result, evaluations: evaluations + passes };
  }

  /** What the first distributions expect. */
  #begin(): void {
    const duals = this.#duals;
    for (let i = 0; i < duals.active.length; i += 1) {
      const { features, cost } = duals.expect(i, duals.exponents[i]!, duals.factors[i]!);
      duals.expected[i]!.set(features);
      duals.costs[i] = cost;
    }
    this.#weights = this.#weightsOf();
  }

  /** A step of one sentence; false if none makes the dual larger. */
  #step(i: number): boolean {
    const duals = this.#duals;
    const active = duals.active[i]!;
    const before = duals.expected[i]!;
    const own = Float64Array.from(active, at => this.#weights[at]!);
    const { l2 } = this.#options;
    for (let halvings = 0; halvings < mostHalvings; halvings += 1) {
      const eta = duals.steps[i]!;
      const exponent = duals.exponents[i]!.map((v, k) => v + eta * own[k]!);
      const factor = duals.factors[i]! + eta;
      const { features, cost } = duals.expect(i, exponent, factor);
      const moved = own.map((w, k) => w - (features[k]! - before[k]!) / (2 * l2));
      const gain = cost - duals.costs[i]! - l2 * (dot(moved, moved) - dot(own, own));
      if (gain > 0) {
        duals.exponents[i]!.set(exponent);
        duals.expected[i]!.set(features);
        duals.factors[i] = factor;
        duals.costs[i] = cost;
        duals.steps[i]! *= this.#options.grow;
        for (const [k, at] of active.entries()) this.#weights[at] = moved[k]!;
        return true;
      }
      duals.steps[i]! /= 2;
      if (Math.abs(gain) <= 1e-14 * (1 + cost)) return false;
    }
    return false;
  }

  /** A step of all sentences from the same weights; false if none makes the dual larger. */
  #stepOfAll(): boolean {
    const duals = this.#duals;
    const from = this.#weights;
    const before = this.#dual();
    const count = duals.active.length;
    const kept = {
      expected: duals.expected.map(vector => vector.slice()),
      costs: duals.costs.slice(),
    };
    for (let halvings = 0; halvings < mostHalvings; halvings += 1) {
      const eta = duals.steps[0]!;
      const exponents = duals.active.map((active, i) =>
        duals.exponents[i]!.map((v, k) => v + eta * from[active[k]!]!),
      );
      for (let i = 0; i < count; i += 1) {
        const { features, cost } = duals.expect(i, exponents[i]!, duals.factors[i]! + eta);
        duals.expected[i]!.set(features);
        duals.costs[i] = cost;
      }
      this.#weights = this.#weightsOf();
      if (this.#dual() > before) {
        for (let i = 0; i < count; i += 1) {
          duals.exponents[i]!.set(exponents[i]!);
          duals.factors[i]! += eta;
        }
        duals.steps.fill(eta * this.#options.grow);
        return true;
      }
      duals.steps.fill(eta / 2);
    }
    for (let i = 0; i < count; i += 1) duals.expected[i]!.set(kept.expected[i]!);
    duals.costs.set(kept.costs);
    this.#weights = from;
    return false;
  }

  /** w(a), summed again so that rounding does not add up. */
  #weightsOf(): Float64Array {
    const { active, expected } = this.#duals;
    const weights = new Float64Array(this.#weights.length);
    for (const [i, places] of active.entries()) {
      const features = expected[i]!;
      for (let k = 0; k < places.length; k += 1) weights[places[k]!]! -= features[k]!;
    }
    for (let at = 0; at < weights.length; at += 1) weights[at]! /= 2 * this.#options.l2;
    return weights;
  }

  #dual(): number {
    const cost = this.#duals.costs.reduce((sum, each) => sum + each, 0);
    return cost - this.#options.l2 * dot(this.#weights, this.#weights);
  }

  save(): State {
    const { json, arrays } = this.#duals.save();
    return { json: { ...this.#progress.save(), ...json }, arrays };
  }

  restore(state: State): void {
    this.#duals.restore(state);
    this.#progress.restore(state);
    this.#weights = this.#weightsOf();
    this.#objective.place(this.#weights);
  }
}

/** `ExponentiatedGradient` as pipeline files name it. */
export const eg: TrainerComponent<EgOptions> = {
  name: 'eg',
  summary: 'exponentiated gradient on the max-margin dual over the whole corpus, with L2',
  options,
  example: 'optimize: { eg: { l2: 1 } }',
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create: (chosen, context) => new ExponentiatedGradient(chosen, context.objective(chosen.l2)),
};
