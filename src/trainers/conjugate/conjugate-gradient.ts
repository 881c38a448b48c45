import * as z from 'zod';
import { stateNumber } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { stoppingShape } from '../stopping/stopping-options.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dot } from '../vectors/dot.js';
import { norm } from '../vectors/norm.js';
import { savedVector } from '../vectors/saved-vector.js';
import { type LinePoint, wolfeLineSearch } from '../wolfe-line-search.js';
import { Preconditioner } from './preconditioner.js';

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  preconditioner: z
    .enum(['none', 'uniform', 'present'])
    .default('none')
    .describe(
      'diagonal of the curvature that directions are divided by: none, that at equal probabilities, or the present one',
    ),
  refresh: z
    .int()
    .min(1)
    .default(10)
    .describe('iterations after which the present curvature is computed again'),
  mixed: z
    .number()
    .positive()
    .max(1)
    .optional()
    .describe(
      'continue without preconditioner once the gradient is as short as this share of the first one',
    ),
  ...stoppingShape,
});

/** Options of `conjugateGradient`, with their defaults. */
export type ConjugateGradientOptions = z.infer<typeof options>;

/** Conjugate directions need a more exact line search than quasi-Newton ones. */
const curvature = 0.1;

/**
 * Nonlinear conjugate gradients, Polak and Ribiere's, with a restart where they are not conjugate:
 *
 *     z = P g,   d <- -z + max(0, z . (g - g_before) / z_before . g_before) d
 *
 * P is the identity, or with a `preconditioner` the inverse of about the diagonal of the Hessian, by which weights of
 * frequent features make shorter steps: at equal probabilities of all labels (`inverseCurvature`, once, for any smooth
 * loss), or at the present weights (`presentCurvature`, a pass over the corpus each time, for the log loss alone).
 * `mixed` begins with it and ends without: far from the minimum the diagonal helps, near to it what it leaves out
 * counts. Directions start again from -z where P changes.
 *
 * For smooth objectives, in the memory of a few vectors. Nocedal and Wright, Numerical Optimization
 * (2006), section 5.2; Gupta's report, section 2.1, names the preconditioned and mixed forms, which are those of Sha
 * and Pereira (2003).
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
  readonly #preconditioner: Preconditioner;

  /** @throws TagstreamError `config` where the present curvature is asked for of another loss than the log loss */
  constructor(chosen: ConjugateGradientOptions, objective: Objective) {
    this.#objective = objective;
    this.#preconditioner = new Preconditioner(chosen, objective);
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
    const changed = this.#preconditioner.begin(progress.iteration, this.#weights, this.#gradient);
    if (changed || progress.iteration === 1) this.#descend(this.#gradient);
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
    const unit = this.#preconditioner.isOn ? 1 : 1 / norm(direction);
    const first = this.#step === 0 || changed ? unit : (this.#step * this.#slope) / slope;
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
    const preconditioner = this.#preconditioner;
    const before = preconditioner.product(this.#gradient, this.#gradient);
    const mixed = preconditioner.product(gradient, this.#gradient);
    const beta = Math.max(0, (preconditioner.product(gradient, gradient) - mixed) / before);
    let slope = 0;
    for (let i = 0; i < gradient.length; i += 1) {
      this.#direction[i] = beta * this.#direction[i]! - preconditioner.at(i) * gradient[i]!;
      slope += this.#direction[i]! * gradient[i]!;
    }
    if (!(slope < 0)) this.#descend(gradient);
  }

  /** The direction of a start: that of steepest descent, by the preconditioner. */
  #descend(gradient: Float64Array): void {
    for (let i = 0; i < gradient.length; i += 1) {
      this.#direction[i] = -this.#preconditioner.at(i) * gradient[i]!;
    }
  }

  #result(ending: Ending | undefined): Iteration {
    return this.#progress.result(this.#weights, norm(this.#gradient), ending);
  }

  save(): State {
    return {
      json: {
        ...this.#progress.save(),
        ...this.#preconditioner.saveCounts(),
        ...{ step: this.#step, slope: this.#slope },
      },
      arrays: {
        weights: this.#weights,
        gradient: this.#gradient,
        direction: this.#direction,
        ...this.#preconditioner.saveVectors(),
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
    this.#preconditioner.restore(state);
    this.#objective.place(this.#weights);
  }
}

/** `ConjugateGradient` as pipeline files name it. */
export const conjugateGradient: TrainerComponent<ConjugateGradientOptions> = {
  name: 'cg',
  summary: 'nonlinear conjugate gradients over the whole corpus, preconditioned or not, with L2',
  options,
  example: 'optimize: { cg: { l2: 1 } }',
  needs: ({ preconditioner }, loss) => {
    if (preconditioner === 'present') return loss.name === 'log' ? undefined : 'log';
    return loss.smooth ? undefined : 'log, or another that is smooth';
  },
  logLinear: ({ preconditioner }) => preconditioner === 'present',
  oneThread: ({ preconditioner }) => preconditioner === 'present',
  create: (chosen, context) => new ConjugateGradient(chosen, context.objective(chosen.l2)),
};
