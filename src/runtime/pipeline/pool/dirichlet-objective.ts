import { type SmoothObjective, VectorSpace } from '../../../engine/trainers/space/vector-space.js';
import type { PoolObjective } from './pool-objective.js';

/**
 * The objective of a pool with a Dirichlet prior on its weights: positive weights that sum to 1, as a function of K free
 * numbers v,
 *
 *     w = softmax(v),    g(v) = f(w) - (a - 1) sum_k log w_k
 *     dg / dv_k = w_k (h_k - sum_j w_j h_j),    h_k = df / dw_k - (a - 1) / w_k
 *
 * which is the negative log posterior of w, up to a constant. With a = 1 there is no prior except the constraint. Gupta,
 * Conditional Random Fields, section 2.6.1, mentions such a prior without a formula.
 */
export class DirichletObjective implements SmoothObjective {
  readonly space: VectorSpace;
  readonly #pool: PoolObjective;
  readonly #prior: number;
  readonly #free: Float64Array;
  readonly #slopes: Float64Array;

  /** @param prior a, at least 1; the larger, the closer the weights are to 1/K */
  constructor(pool: PoolObjective, prior: number) {
    const { size } = pool.space;
    this.space = new VectorSpace(size);
    this.#pool = pool;
    this.#prior = prior;
    this.#free = new Float64Array(size);
    this.#slopes = new Float64Array(size);
  }

  get evaluations(): number {
    return this.#pool.evaluations;
  }

  owns(vector: Float64Array): boolean {
    return this.space.has(vector);
  }

  weights(): Float64Array {
    return this.#free.slice();
  }

  place(free: Float64Array): void {
    this.#free.set(free);
    this.#pool.place(softmax(free));
  }

  /** Does nothing: the last evaluated vector is already in place. */
  settle(): void {}

  /**
   * Returns g(v), and writes its gradient to `gradient`. Cost: one evaluation of the pool.
   *
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  evaluate(free: Float64Array, gradient: Float64Array): number {
    this.place(free);
    const weights = softmax(free);
    const slopes = this.#slopes;
    const strength = this.#prior - 1;
    let value = this.#pool.evaluate(weights, slopes);
    let mean = 0;
    for (let k = 0; k < slopes.length; k += 1) {
      if (strength > 0) {
        value -= strength * Math.log(weights[k]!);
        slopes[k]! -= strength / weights[k]!;
      }
      mean += weights[k]! * slopes[k]!;
    }
    for (let k = 0; k < slopes.length; k += 1) gradient[k] = weights[k]! * (slopes[k]! - mean);
    return value;
  }
}

function softmax(free: Float64Array): Float64Array {
  const most = Math.max(...free);
  const weights = free.map(v => Math.exp(v - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map(w => w / sum);
}
