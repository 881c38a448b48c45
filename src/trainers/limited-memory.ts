import { addScaled } from './vectors/add-scaled.js';
import { dot } from './vectors/dot.js';

/**
 * The last pairs of steps and gradient differences, and what they say of the curvature: an approximation H
 * of the inverse Hessian that is never written out.
 *
 * Nocedal (1980); the two loops as in Nocedal and Wright, Numerical Optimization (2006), algorithm 7.4.
 */
export class LimitedMemory {
  readonly #most: number;
  readonly #steps: Float64Array[] = [];
  readonly #differences: Float64Array[] = [];

  /** @param most pairs that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** Pairs that are kept, the oldest first: step, difference, step, difference, ... */
  get vectors(): readonly Float64Array[] {
    return this.#steps.flatMap((step, i) => [step, this.#differences[i]!]);
  }

  /** Back to saved pairs, in the order of `vectors`. */
  restore(vectors: readonly Float64Array[]): void {
    this.clear();
    for (let i = 0; i + 1 < vectors.length; i += 2) this.add(vectors[i]!, vectors[i + 1]!);
  }

  clear(): void {
    this.#steps.length = 0;
    this.#differences.length = 0;
  }

  /**
   * Takes a pair, whose vectors it keeps; the oldest goes where there are too many. One without positive
   * curvature is left out, as H would not stay positive definite.
   */
  add(step: Float64Array, difference: Float64Array): void {
    const curvature = dot(step, difference);
    if (!(curvature > 1e-12 * dot(difference, difference))) return;
    this.#steps.push(step);
    this.#differences.push(difference);
    if (this.#steps.length <= this.#most) return;
    this.#steps.shift();
    this.#differences.shift();
  }

  /** vector = H vector, in place. Cost O(pairs * size). */
  apply(vector: Float64Array): void {
    const last = this.#steps.length - 1;
    const alphas = new Float64Array(this.#steps.length);
    for (let i = last; i >= 0; i -= 1) {
      const s = this.#steps[i]!;
      const y = this.#differences[i]!;
      alphas[i] = dot(s, vector) / dot(s, y);
      addScaled(-alphas[i]!, y, vector);
    }
    if (last < 0) return;
    const y = this.#differences[last]!;
    const gamma = dot(this.#steps[last]!, y) / dot(y, y);
    for (let i = 0; i < vector.length; i += 1) vector[i]! *= gamma;
    for (let i = 0; i <= last; i += 1) {
      const s = this.#steps[i]!;
      const beta = dot(this.#differences[i]!, vector) / dot(s, this.#differences[i]!);
      addScaled(alphas[i]! - beta, s, vector);
    }
  }
}
