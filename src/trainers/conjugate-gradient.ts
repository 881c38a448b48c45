import * as z from 'zod';
import { stateArray, stateCount, stateNumber } from '../core/read-state.js';
import type { State } from '../core/state.js';
import type { Ending, Iteration, Trainer } from '../core/trainer.js';
import type { Objective } from './objective.js';
import { stoppingShape } from './stopping-options.js';
import { readPast, StoppingRule } from './stopping-rule.js';
import type { TrainerComponent } from './trainer-component.js';
import { countActive } from './vectors/count-active.js';
import { dot } from './vectors/dot.js';
import { norm } from './vectors/norm.js';
import { type LinePoint, wolfeLineSearch } from './wolfe-line-search.js';

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  ...stoppingShape,
});

export type ConjugateGradientOptions = z.infer<typeof options>;

/** Conjugate directions need a more exact line search than quasi-Newton ones. */
const curvature = 0.1;

/**
 * Nonlinear conjugate gradients, Polak and Ribiere's, with a restart where they are not conjugate:
 *
 *     d <- -g + max(0, g . (g - g_before) / g_before . g_before) d
 *
 * For smooth objectives, in the memory of a few vectors. Nocedal and Wright, Numerical Optimization
 * (2006), section 5.2.
 */
export class ConjugateGradient implements Trainer {
  readonly name = 'cg';
  readonly #objective: Objective;
  readonly #stopping: StoppingRule;
  #weights: Float64Array;
  #gradient: Float64Array;
  /** The direction of the last step; all zero at first. */
  #direction: Float64Array;
  /** Of the last step: its length, and the slope that it started with. */
  #step = 0;
  #slope = 0;
  #value = Number.NaN;
  #iteration = 0;

  constructor(chosen: ConjugateGradientOptions, objective: Objective) {
    this.#objective = objective;
    this.#stopping = new StoppingRule(chosen);
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
    this.#direction = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    if (Number.isNaN(this.#value)) {
      this.#value = this.#objective.evaluate(this.#weights, this.#gradient);
    }
    this.#iteration += 1;
    if (this.#iteration === 1) this.#descendSteepest();
    const direction = this.#direction;
    const slope = dot(direction, this.#gradient);
    const weights = new Float64Array(direction.length);
    const gradient = new Float64Array(direction.length);
    const along = (step: number): LinePoint => {
      for (let i = 0; i < weights.length; i += 1) {
        weights[i] = this.#weights[i]! + step * direction[i]!;
      }
      const value = this.#objective.evaluate(weights, gradient);
      return { step, value, slope: dot(gradient, direction) };
    };
    // As much of a decrease as the last step began with.
    const first = this.#step === 0 ? 1 / norm(direction) : (this.#step * this.#slope) / slope;
    const start = { step: 0, value: this.#value, slope };
    const found = slope < 0 ? wolfeLineSearch(along, start, first, curvature) : undefined;
    if (found === undefined) {
      this.#objective.place(this.#weights);
      return this.#result(slope < 0 ? 'precision' : 'gradient');
    }
    this.#step = found.step;
    this.#slope = slope;
    this.#turn(gradient);
    this.#weights = weights;
    this.#gradient = gradient;
    this.#value = found.value;
    return this.#result(this.#stopping.ending(this.#value, norm(gradient), norm(weights)));
  }

  #descendSteepest(): void {
    for (let i = 0; i < this.#direction.length; i += 1) this.#direction[i] = -this.#gradient[i]!;
  }

  /** The next direction, from the gradient at the new weights. */
  #turn(gradient: Float64Array): void {
    const before = dot(this.#gradient, this.#gradient);
    const mixed = dot(gradient, this.#gradient);
    const beta = Math.max(0, (dot(gradient, gradient) - mixed) / before);
    let slope = 0;
    for (let i = 0; i < gradient.length; i += 1) {
      this.#direction[i] = beta * this.#direction[i]! - gradient[i]!;
      slope += this.#direction[i]! * gradient[i]!;
    }
    if (slope < 0) return;
    for (let i = 0; i < gradient.length; i += 1) this.#direction[i] = -gradient[i]!;
  }

  #result(ending: Ending | undefined): Iteration {
    return {
      iteration: this.#iteration,
      objective: this.#value,
      gradientNorm: norm(this.#gradient),
      evaluations: this.#objective.evaluations,
      active: countActive(this.#weights),
      ...(ending === undefined ? {} : { ending }),
    };
  }

  save(): State {
    return {
      json: {
        value: Number.isNaN(this.#value) ? null : this.#value,
        iteration: this.#iteration,
        evaluations: this.#objective.evaluations,
        step: this.#step,
        slope: this.#slope,
        past: [...this.#stopping.past],
      },
      arrays: {
        weights: this.#weights,
        gradient: this.#gradient,
        direction: this.#direction,
      },
    };
  }

  restore(state: State): void {
    const { length } = this.#weights;
    const vector = (name: string) =>
      stateArray(state, name, [Float64Array], length).slice(0, length);
    this.#weights = vector('weights');
    this.#gradient = vector('gradient');
    this.#direction = vector('direction');
    this.#value = state.json.value === null ? Number.NaN : stateNumber(state, 'value');
    this.#iteration = stateCount(state, 'iteration');
    this.#objective.evaluations = stateCount(state, 'evaluations');
    this.#step = stateNumber(state, 'step');
    this.#slope = stateNumber(state, 'slope');
    this.#stopping.restore(readPast(state));
    this.#objective.place(this.#weights);
  }
}

/** `ConjugateGradient` as pipeline files name it. */
export const conjugateGradient: TrainerComponent<ConjugateGradientOptions> = {
  name: 'cg',
  summary: 'nonlinear conjugate gradients over the whole corpus, with L2',
  options,
  example: 'optimize: { cg: { l2: 1 } }',
  create: (chosen, context) => new ConjugateGradient(chosen, context.objective(chosen.l2)),
};
