import * as z from 'zod';
import { stateNumber } from '../core/training/read-state.js';
import type { State } from '../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../core/training/trainer.js';
import type { Objective } from './objective.js';
import { stoppingShape } from './stopping/stopping-options.js';
import { TrainerProgress } from './stopping/trainer-progress.js';
import type { TrainerComponent } from './trainer-component.js';
import { dot } from './vectors/dot.js';
import { negateInto } from './vectors/negate-into.js';
import { norm } from './vectors/norm.js';
import { savedVector } from './vectors/saved-vector.js';
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
  readonly #progress: TrainerProgress;
  #weights: Float64Array;
  #gradient: Float64Array;
  /** The direction of the last step; all zero at first. */
  #direction: Float64Array;
  /** Of the last step: its length, and the slope that it started with. */
  #step = 0;
  #slope = 0;

  constructor(chosen: ConjugateGradientOptions, objective: Objective) {
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, chosen);
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
    this.#direction = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    if (Number.isNaN(progress.value)) {
      progress.value = this.#objective.evaluate(this.#weights, this.#gradient);
    }
    progress.iteration += 1;
    if (progress.iteration === 1) negateInto(this.#gradient, this.#direction);
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
    const start = { step: 0, value: progress.value, slope };
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
    progress.value = found.value;
    return this.#result(progress.ending(norm(gradient), weights));
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
    negateInto(gradient, this.#direction);
  }

  #result(ending: Ending | undefined): Iteration {
    return this.#progress.result(this.#weights, norm(this.#gradient), ending);
  }

  save(): State {
    return {
      json: { ...this.#progress.save(), step: this.#step, slope: this.#slope },
      arrays: {
        weights: this.#weights,
        gradient: this.#gradient,
        direction: this.#direction,
      },
    };
  }

  restore(state: State): void {
    const { length } = this.#weights;
    this.#weights = savedVector(state, 'weights', length);
    this.#gradient = savedVector(state, 'gradient', length);
    this.#direction = savedVector(state, 'direction', length);
    this.#progress.restore(state);
    this.#step = stateNumber(state, 'step');
    this.#slope = stateNumber(state, 'slope');
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
