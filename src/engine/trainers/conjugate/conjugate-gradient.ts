import * as z from 'zod';
import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { type State, stateNumber } from '../../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../../core/training/trainer.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { inverseCurvature } from '../lbfgs/inverse-curvature.js';
import type { Objective } from '../objective.js';
import { onlyLoss, requireLogLoss } from '../requirements.js';
import { stoppingShape, TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dot, norm, savedVector } from '../vectors/vectors.js';
import { type LinePoint, wolfeLineSearch } from '../wolfe-line-search.js';

/** Options of `Preconditioner`. */
interface PreconditionerOptions {
  readonly preconditioner: 'none' | 'uniform' | 'present';
  /** Number of iterations after which the current curvature is recomputed. */
  readonly refresh: number;
  /** Share of the initial gradient norm below which the preconditioner is dropped. */
  readonly mixed?: number | undefined;
}

/** A diagonal matrix P that approximates the inverse Hessian; initially, and once dropped, the identity. */
class Preconditioner {
  readonly #options: PreconditionerOptions;
  readonly #objective: Objective;
  readonly #plane: Plane | undefined;
  /** The diagonal; undefined for the identity. */
  #inverse: Float64Array | undefined;
  /** Norm of the initial gradient; 0 until it is known. */
  #firstLength = 0;

  /** @throws TagstreamError `config` if the current curvature is requested with a loss other than the log loss */
  constructor(options: PreconditionerOptions, objective: Objective) {
    this.#options = options;
    this.#objective = objective;
    if (options.preconditioner !== 'present') return;
    requireLogLoss('cg with preconditioner: present', objective);
    this.#plane = objective.parameters.addPlane();
  }

  /**
   * Computes or drops the matrix; call before each iteration, numbered from 1.
   *
   * @returns whether the matrix has changed
   */
  begin(iteration: number, weights: Float64Array, gradient: Float64Array): boolean {
    const { preconditioner, refresh, mixed } = this.#options;
    if (preconditioner === 'none') return false;
    if (this.#firstLength === 0) this.#firstLength = norm(gradient);
    else if (this.#inverse === undefined) return false;
    if (mixed !== undefined && iteration > 1 && norm(gradient) <= mixed * this.#firstLength) {
      this.#inverse = undefined;
      return true;
    }
    if (preconditioner === 'uniform') {
      if (this.#inverse !== undefined) return false;
      this.#inverse = inverseCurvature(this.#objective);
      return true;
    }
    if ((iteration - 1) % refresh !== 0) return false;
    this.#objective.place(weights);
    const curvature = presentCurvature(this.#objective, this.#plane!);
    // A weight without penalty and uncertainty has no gradient either.
    this.#inverse = curvature.map(h => 1 / (h || 1));
    return true;
  }

  /** Whether P differs from the identity. */
  get isOn(): boolean {
    return this.#inverse !== undefined;
  }

  /** Returns the factor on component `i` of a gradient. */
  at(i: number): number {
    return this.#inverse === undefined ? 1 : this.#inverse[i]!;
  }

  /** Returns a . P b. */
  product(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < a.length; i += 1) sum += a[i]! * this.at(i) * b[i]!;
    return sum;
  }

  saveCounts(): State['json'] {
    return { firstLength: this.#firstLength, preconditioned: this.#inverse !== undefined };
  }

  saveVectors(): State['arrays'] {
    return this.#inverse === undefined ? {} : { inverse: this.#inverse };
  }

  restore(state: State): void {
    this.#firstLength = stateNumber(state, 'firstLength');
    const { size } = this.#objective.free;
    const kept = state.json.preconditioned === true;
    this.#inverse = kept ? savedVector(state, 'inverse', size) : undefined;
  }
}

const options = z.strictObject({
  l2: z.number().min(0).default(1).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  preconditioner: z
    .enum(['none', 'uniform', 'present'])
    .default('none')
    .describe(
      'diagonal of the curvature to divide directions by: none, at equal probabilities, or at the current weights',
    ),
  refresh: z
    .int()
    .min(1)
    .default(10)
    .describe('iterations between two computations of the current curvature'),
  mixed: z
    .optional(z.number().positive().max(1))
    .describe(
      'drop the preconditioner once the gradient norm falls below this share of the first one',
    ),
  ...stoppingShape,
});

/** Options of `conjugateGradient`, with their defaults. */
export type ConjugateGradientOptions = z.infer<typeof options>;

/** Conjugate directions need a more exact line search than quasi-Newton directions. */
const curvature = 0.1;

/**
 * Nonlinear conjugate gradients (Polak-Ribiere) with a restart when directions are not conjugate:
 *
 *     z = P g,   d <- -z + max(0, z . (g - g_before) / z_before . g_before) d
 *
 * P is the identity or, with a `preconditioner`, the inverse of an approximate Hessian diagonal, which gives weights
 * of frequent features shorter steps: at equal probabilities of all labels (`inverseCurvature`, once, for any smooth
 * loss), or at the current weights (`presentCurvature`, with a pass over the corpus each time, only for the log
 * loss). `mixed` starts with the preconditioner and drops it later: the diagonal helps far from the minimum, but the
 * off-diagonal part matters close to it. Directions restart from -z when P changes.
 *
 * For smooth objectives; needs memory for a few vectors. Nocedal and Wright, Numerical Optimization (2006), section
 * 5.2; Gupta's report, section 2.1, names the preconditioned and mixed forms, which Sha and Pereira (2003)
 * introduced.
 */
export class ConjugateGradient implements Trainer {
  readonly name = 'cg';
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  #weights: Float64Array;
  #gradient: Float64Array;
  /** Direction of the last step; initially zero. */
  #direction: Float64Array;
  /** Length and initial slope of the last step. */
  #step = 0;
  #slope = 0;
  readonly #preconditioner: Preconditioner;

  /** @throws TagstreamError `config` if the current curvature is requested with a loss other than the log loss */
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
    // Aims for the same initial decrease as in the last step.
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

  /** Computes the next direction from the gradient at the new weights. */
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

  /** Sets the direction to preconditioned steepest descent. */
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

/** The catalogue entry of `ConjugateGradient`. */
export const conjugateGradient: TrainerComponent<ConjugateGradientOptions> = {
  name: 'cg',
  summary: 'nonlinear conjugate gradients over the whole corpus, preconditioned or not, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  example: 'optimize: { cg: { l2: 1 } }',
  needs: ({ preconditioner }, loss) => {
    if (preconditioner === 'present') return onlyLoss('log')(undefined, loss);
    return loss.smooth ? undefined : 'log, or another that is smooth';
  },
  logLinear: ({ preconditioner }) => preconditioner === 'present',
  oneThread: ({ preconditioner }) => preconditioner === 'present',
  create: (chosen, context) => new ConjugateGradient(chosen, context.objective(chosen.l2)),
};

/**
 * Approximates the Hessian's diagonal, for the log loss and its penalty at the current weights, as if tokens were
 * independent:
 *
 *     h_k = 2 l2 + sum over sentences and tokens of f_k^2 p (1 - p)
 *
 * with p the marginal of weight k's label or label pair. For plain transitions only the sum P of their marginals over
 * a sentence with n transitions is known, so the upper bound P (1 - P / n) is used. Cost: one forward-backward pass
 * over the corpus. Requires an objective with the log loss.
 *
 * @param plane a plane of the parameters for the sums; its contents are overwritten
 */
export function presentCurvature(objective: Objective, plane: Plane): Float64Array {
  const { kernel, parameters, free, l2 } = objective;
  kernel.scalePlane(plane, 0);
  objective.evaluations += 1;
  for (const minibatch of objective.corpus) {
    const made = objective.contribute(minibatch);
    const squared = withSquares(minibatch);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (minibatch.labelled[s] === 0) continue;
      spread(made, s, parameters.labels);
      const variances: Contribution = squared === minibatch ? made : replaced(made, squared);
      kernel.accumulate(parameters, plane, variances, s, 1);
    }
  }
  const curvature = new Float64Array(free.size);
  free.gather(plane, curvature);
  for (let k = 0; k < curvature.length; k += 1) curvature[k] = 2 * l2 + Math.max(0, curvature[k]!);
  return curvature;
}

/** Replaces a sentence's residuals p - [gold] by p (1 - p). */
function spread(made: Contribution, s: number, labels: number): void {
  const { minibatch, width, matrixSize, residual, edgeResidual, transitionResidual } = made;
  const { sentenceStarts, gold, weights } = minibatch;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const weight = weights?.[s] ?? 1;
  if (weight === 0) return;
  const pairs = new Float64Array(labels * width);
  for (let t = first; t < end; t += 1) {
    variances(residual, t * width, labels, gold[t]!, weight);
    if (t === first) continue;
    const pair = gold[t]! < 0 ? -1 : gold[t - 1]! * width + gold[t]!;
    if (pair >= 0) pairs[pair]! += 1;
    const slot = made.edgeSlots[t] ?? -1;
    if (slot >= 0) variances(edgeResidual, slot * matrixSize, labels * width, pair, weight);
  }
  const transitions = end - first - 1;
  if (transitions < 1) return;
  for (let i = 0; i < labels * width; i += 1) {
    const at = s * matrixSize + i;
    const sum = transitionResidual[at]! / weight + pairs[i]!;
    transitionResidual[at] = weight * Math.max(0, sum * (1 - sum / transitions));
  }
}

function variances(table: Reals, from: number, count: number, gold: number, weight: number): void {
  for (let i = 0; i < count; i += 1) {
    const p = table[from + i]! / weight + (i === gold ? 1 : 0);
    table[from + i] = weight * Math.max(0, p * (1 - p));
  }
}

/** Returns the minibatch with squared feature values; unchanged if all are 1. */
function withSquares(minibatch: Minibatch): Minibatch {
  const { stateValues, edgeValues } = minibatch;
  if (stateValues === undefined && edgeValues === undefined) return minibatch;
  const squares = (values: Float64Array | undefined) => values?.map(value => value * value);
  const { sentences, tokens, sentenceStarts, stateStarts, stateRows } = minibatch;
  const { edgeStarts, edgeRows, gold, labelled, weights, compact } = minibatch;
  // Fields may be getters, which copying own properties would lose.
  return {
    ...{ sentences, tokens, sentenceStarts, stateStarts, stateRows, edgeStarts, edgeRows },
    ...{ gold, labelled, weights, compact },
    stateValues: squares(stateValues),
    edgeValues: squares(edgeValues),
  };
}

/** Returns a contribution with other feature values; views are looked up on each access, as in the lattice. */
function replaced(made: Contribution, minibatch: Minibatch): Contribution {
  const { width, matrixSize, edgeSlots, loss, losses, sentenceCount, tokenCount, version } = made;
  const other: Contribution = {
    ...{ minibatch, width, matrixSize, edgeSlots },
    ...{ loss, losses, sentenceCount, tokenCount, version },
    get residual() {
      return made.residual;
    },
    get transitionResidual() {
      return made.transitionResidual;
    },
    get edgeResidual() {
      return made.edgeResidual;
    },
    assertCurrent: () => made.assertCurrent(),
    detach: () => made.detach(),
  };
  return other;
}
