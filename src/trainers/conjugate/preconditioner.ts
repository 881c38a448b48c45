import { stateNumber } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { inverseCurvature } from '../lbfgs/inverse-curvature.js';
import type { Objective } from '../objective.js';
import { requireLogLoss } from '../require-log-loss.js';
import { norm } from '../vectors/norm.js';
import { savedVector } from '../vectors/saved-vector.js';
import { presentCurvature } from './present-curvature.js';

/** How `Preconditioner` works. */
export interface PreconditionerOptions {
  readonly preconditioner: 'none' | 'uniform' | 'present';
  /** Iterations after which the present curvature is computed again. */
  readonly refresh: number;
  /** It is given up once the gradient is as short as this share of the first one. */
  readonly mixed?: number | undefined;
}

/** A diagonal matrix P that takes the place of the inverse of the Hessian; the identity where there is none. */
export class Preconditioner {
  readonly #options: PreconditionerOptions;
  readonly #objective: Objective;
  readonly #plane: Plane | undefined;
  /** The diagonal; undefined before the first one, and once it has been given up. */
  #inverse: Float64Array | undefined;
  /** Length of the gradient at the start; 0 before. */
  #firstLength = 0;

  /** @throws TagstreamError `config` where the present curvature is asked for of another loss than the log loss */
  constructor(options: PreconditionerOptions, objective: Objective) {
    this.#options = options;
    this.#objective = objective;
    if (options.preconditioner !== 'present') return;
    requireLogLoss('cg with preconditioner: present', objective);
    this.#plane = objective.parameters.addPlane();
  }

  /**
   * Before an iteration, from 1, at weights with their gradient: makes the matrix, or gives it up.
   *
   * @returns whether it is another one than before
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
    // What has neither penalty nor doubt has no gradient to speak of either.
    this.#inverse = curvature.map(h => 1 / (h || 1));
    return true;
  }

  /** Whether it is another matrix than the identity. */
  get isOn(): boolean {
    return this.#inverse !== undefined;
  }

  /** What component `i` of a gradient is multiplied by. */
  at(i: number): number {
    return this.#inverse === undefined ? 1 : this.#inverse[i]!;
  }

  /** a . P b */
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
