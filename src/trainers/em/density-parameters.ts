import { cholesky } from '../../optimizers/tables/positive-definite.js';

/** Where the weights of the numbers of one density lie in a vector of weights, for one lane; -1 where there is none. */
export interface DensityPlaces {
  readonly constant: number;
  readonly values: readonly number[];
  /** `[n x n]`: squares on the diagonal, products beside it. */
  readonly squares: readonly number[];
}

/**
 * One Gaussian density with free parameters, 0 where it started: with A_0 A_0' the precision and m_0 the mean of the
 * start,
 *
 *     S^-1 = A A',   A = A_0 R,   m = m_0 + A_0^-T u,
 *
 * R lower triangular with exp(r_i) on its diagonal, so that S is positive definite whatever the parameters are, and a
 * parameter counts in deviations of the start. u stands in the places of values, r in those of squares, R in those of
 * products. Cost of each call O(n^3).
 */
export class DensityParameters {
  readonly #places: DensityPlaces;
  readonly #n: number;
  /** A_0. */
  readonly #root: Float64Array;
  /** m_0. */
  readonly #start: Float64Array;
  readonly #factor: Float64Array;
  readonly #triangle: Float64Array;
  readonly #mean: Float64Array;
  readonly #precision: Float64Array;

  /** @param weights the density to start from */
  constructor(places: DensityPlaces, weights: Float64Array) {
    const n = places.values.length;
    this.#places = places;
    this.#n = n;
    this.#root = new Float64Array(n * n);
    this.#factor = new Float64Array(n * n);
    this.#triangle = new Float64Array(n * n);
    this.#mean = new Float64Array(n);
    this.#precision = new Float64Array(n * n);
    const precision = places.squares.map((at, i) => {
      if (at < 0) return 0;
      return i % (n + 1) === 0 ? -2 * weights[at]! : 0 - weights[at]!;
    });
    cholesky(Float64Array.from(precision), n, this.#root);
    this.#start = Float64Array.from(places.values, at => weights[at]!);
    this.#solve(this.#start);
    this.#solveTransposed(this.#start);
  }

  /** x = A_0^-1 x. */
  #solve(x: Float64Array): void {
    const n = this.#n;
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < i; k += 1) x[i]! -= this.#root[i * n + k]! * x[k]!;
      x[i]! /= this.#root[i * n + i]!;
    }
  }

  /** x = A_0^-T x. */
  #solveTransposed(x: Float64Array): void {
    const n = this.#n;
    for (let i = n - 1; i >= 0; i -= 1) {
      for (let k = i + 1; k < n; k += 1) x[i]! -= this.#root[k * n + i]! * x[k]!;
      x[i]! /= this.#root[i * n + i]!;
    }
  }

  /** The weights of the parameters; returns what the density adds to its constant. */
  place(parameters: Float64Array, weights: Float64Array): number {
    const n = this.#n;
    const { values, squares } = this.#places;
    const mean = this.#mean;
    let constant = (-n * Math.log(2 * Math.PI)) / 2;
    for (let i = 0; i < n; i += 1) {
      mean[i] = parameters[values[i]!]!;
      for (let j = 0; j <= i; j += 1) {
        const at = squares[i * n + j]!;
        const free = at < 0 ? 0 : parameters[at]!;
        this.#triangle[i * n + j] = i === j ? Math.exp(free) : free;
        if (i === j) constant += free + Math.log(this.#root[i * n + i]!);
      }
    }
    this.#solveTransposed(mean);
    for (let i = 0; i < n; i += 1) mean[i]! += this.#start[i]!;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let sum = 0;
        for (let k = j; k <= i; k += 1) {
          sum += this.#root[i * n + k]! * this.#triangle[k * n + j]!;
        }
        this.#factor[i * n + j] = sum;
      }
    }
    const precision = this.#precision;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        let sum = 0;
        for (let k = 0; k <= Math.min(i, j); k += 1) {
          sum += this.#factor[i * n + k]! * this.#factor[j * n + k]!;
        }
        precision[i * n + j] = sum;
        const at = squares[i * n + j]!;
        if (at >= 0 && j <= i) weights[at] = i === j ? -sum / 2 : -sum;
      }
    }
    for (let i = 0; i < n; i += 1) {
      let value = 0;
      for (let j = 0; j < n; j += 1) value += precision[i * n + j]! * mean[j]!;
      weights[values[i]!] = value;
      constant -= (value * mean[i]!) / 2;
    }
    return constant;
  }

  /**
   * The gradient at the parameters of the last `place` from that at their weights, by the chain rule: with
   * L = g_v'(P m) + tr(H P) + g_c (log|A| - m' P m / 2) and P = A A',
   *
   *     dL / dP = H + (g_v m' + m g_v') / 2 - g_c m m' / 2,   dL / dm = P (g_v - g_c m).
   */
  pull(gradient: Float64Array, into: Float64Array): void {
    const n = this.#n;
    const { constant, values, squares } = this.#places;
    const mean = this.#mean;
    const own = gradient[constant]!;
    const sums = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        const at = squares[i * n + j]!;
        const [one, two] = [gradient[values[i]!]!, gradient[values[j]!]!];
        sums[i * n + j] =
          (one * mean[j]! + two * mean[i]! - own * mean[i]! * mean[j]!) / 2 -
          (at < 0 ? 0 : gradient[at]! / 2);
      }
    }
    const moved = new Float64Array(n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        moved[i]! += this.#precision[i * n + j]! * (gradient[values[j]!]! - own * mean[j]!);
      }
    }
    this.#solve(moved);
    for (let i = 0; i < n; i += 1) into[values[i]!] = moved[i]!;
    // A_0' (2 sums A), of which the lower triangle is free.
    const product = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        for (let k = j; k < n; k += 1) {
          product[i * n + j]! += 2 * sums[i * n + k]! * this.#factor[k * n + j]!;
        }
      }
    }
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let sum = 0;
        for (let k = i; k < n; k += 1) sum += this.#root[k * n + i]! * product[k * n + j]!;
        const at = squares[i * n + j]!;
        if (at < 0) continue;
        into[at] = i === j ? sum * this.#triangle[i * n + i]! + own : sum;
      }
    }
  }
}
