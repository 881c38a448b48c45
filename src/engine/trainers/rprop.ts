import * as z from 'zod';
import type { State } from '../core/training/state.js';
import type { Iteration, Trainer } from '../core/training/trainer.js';
import type { Objective } from './objective.js';
import { stoppingShape, TrainerProgress } from './stopping/trainer-progress.js';
import type { TrainerComponent } from './trainer-component.js';
import { norm, norm1, pseudoGradient, savedVector } from './vectors/vectors.js';

const options = z.strictObject({
  l1: z.number().min(0).default(0).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  backtrack: z
    .boolean()
    .default(false)
    .describe('RPROP+: undo the last step when the gradient changes sign; otherwise RPROP-'),
  step: z.number().positive().default(0.1).describe('initial step of each weight'),
  grow: z.number().min(1).default(1.2).describe('growth factor of a step in the same direction'),
  shrink: z
    .number()
    .positive()
    .max(1)
    .default(0.5)
    .describe('shrink factor of a step after a change of sign'),
  leastStep: z.number().positive().default(1e-12).describe('minimum step'),
  mostStep: z.number().positive().default(50).describe('maximum step'),
  ...stoppingShape,
});

/** Options of `rprop`, with their defaults. */
export type RpropOptions = z.infer<typeof options>;

/**
 * Resilient propagation: each weight has its own step size, which depends only on the signs of the
 * weight's slopes.
 *
 *     slope as before: step *= grow;   changed: step *= shrink;   w <- w - sign(slope) * step
 *
 * With L1 the slope is the subgradient nearest to zero, and a weight that would change sign stops at
 * zero for one iteration. One evaluation per iteration; the objective may rise occasionally. Riedmiller
 * and Braun (1993); Igel and Huesken (2003) for the variants.
 */
export class Rprop implements Trainer {
  readonly name = 'rprop';
  readonly #options: RpropOptions;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  #weights: Float64Array;
  /** Slopes of the last iteration; zero for undone steps. */
  #slopes: Float64Array;
  #steps: Float64Array;
  /** Last change of each weight. */
  #moves: Float64Array;

  constructor(chosen: RpropOptions, objective: Objective) {
    this.#options = chosen;
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, chosen, w => chosen.l1 * norm1(w));
    this.#weights = objective.weights();
    this.#slopes = new Float64Array(this.#weights.length);
    this.#moves = new Float64Array(this.#weights.length);
    this.#steps = new Float64Array(this.#weights.length).fill(chosen.step);
  }

  iterate(): Iteration {
    const weights = this.#weights;
    const gradient = new Float64Array(weights.length);
    const { l1 } = this.#options;
    const progress = this.#progress;
    progress.value = this.#objective.evaluate(weights, gradient) + l1 * norm1(weights);
    progress.iteration += 1;
    const slopes = new Float64Array(weights.length);
    pseudoGradient(weights, gradient, l1, slopes);
    const length = norm(slopes);
    const ending = progress.ending(length, weights);
    const result = progress.result(weights, length, ending);
    // At the end, the parameters must hold the evaluated weights.
    if (ending === undefined) {
      this.#move(slopes);
      this.#objective.place(weights);
    }
    return result;
  }

  #move(slopes: Float64Array): void {
    const { grow, shrink, leastStep, mostStep, backtrack } = this.#options;
    for (let i = 0; i < slopes.length; i += 1) {
      const turn = slopes[i]! * this.#slopes[i]!;
      if (turn > 0) this.#steps[i] = Math.min(this.#steps[i]! * grow, mostStep);
      else if (turn < 0) this.#steps[i] = Math.max(this.#steps[i]! * shrink, leastStep);
      const back = turn < 0 && backtrack;
      this.#slopes[i] = back ? 0 : slopes[i]!;
      this.#step(i, back ? -this.#moves[i]! : -Math.sign(slopes[i]!) * this.#steps[i]!);
    }
  }

  /** Moves a weight, stopping at zero if L1 has a kink there. */
  #step(i: number, move: number): void {
    const before = this.#weights[i]!;
    const after = before + move;
    const crosses = this.#options.l1 > 0 && before * after < 0;
    this.#weights[i] = crosses ? 0 : after;
    this.#moves[i] = this.#weights[i]! - before;
  }

  save(): State {
    return {
      json: this.#progress.save(),
      arrays: {
        weights: this.#weights,
        slopes: this.#slopes,
        steps: this.#steps,
        moves: this.#moves,
      },
    };
  }

  restore(state: State): void {
    const { length } = this.#weights;
    this.#weights = savedVector(state, 'weights', length);
    this.#slopes = savedVector(state, 'slopes', length);
    this.#steps = savedVector(state, 'steps', length);
    this.#moves = savedVector(state, 'moves', length);
    this.#progress.restore(state);
    this.#objective.place(this.#weights);
  }
}

/** The catalogue entry of `Rprop`. */
export const rprop: TrainerComponent<RpropOptions> = {
  name: 'rprop',
  summary: 'resilient propagation over the whole corpus, one step size per weight, with L1 and L2',
  options,
  penalty: ({ l1, l2 }) => ({ l1, l2 }),
  example: 'optimize: { rprop: { l2: 1 } }',
  create: (chosen, context) => new Rprop(chosen, context.objective(chosen.l2)),
};
