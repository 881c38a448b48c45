import { addScaledThenDot } from './vectors/add-scaled-then-dot.js';
import { dot } from './vectors/dot.js';
import { scale } from './vectors/scale.js';

/**
 * The last pairs of steps and gradient differences, and what they say of the curvature: an approximation H
 * of the inverse Hessian that is never written out.
 *
 * Nocedal (1980); the two loops as in Nocedal and Wright, Numerical Optimization (2006), algorithm 7.4.
 */
export class LimitedMemory {
  readonly #most: number;
  /** The diagonal of the first approximation, up to a factor; absent where it is the identity. */
  readonly #diagonal: Float64Array | undefined;
  readonly #steps: Float64Array[] = [];
  readonly #differences: Float64Array[] = [];
  /** step . difference of each pair, and difference . diagonal difference of the last. */
  readonly #curvatures: number[] = [];
  #square = 0;
  /** Vectors that can be written over. */
  readonly #spare: Float64Array[] = [];

  /**
   * @param most pairs that are kept
   * @param diagonal positive numbers in the place of the identity that H starts from
   */
  constructor(most: number, diagonal?: Float64Array) {
    this.#most = most;
    this.#diagonal = diagonal;
  }

  /** Whether nothing is known yet. */
  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /** Pairs that are kept, the oldest first: step, difference, step, difference, ... */
  get vectors(): readonly Float64Array[] {
    return this.#steps.flatMap((step, i) => [step, this.#differences[i]!]);
  }

  /** Back to saved pairs, in the order of `vectors`. */
  restore(vectors: readonly Float64Array[]): void {
    this.clear();
    for (let i = 0; i + 1 < vectors.length; i += 2) {
      const [step, difference] = [vectors[i]!, vectors[i + 1]!];
      this.#keep(step, difference, dot(step, difference), this.#squareOf(difference));
    }
  }

  clear(): void {
    this.#spare.push(...this.#steps.splice(0), ...this.#differences.splice(0));
    this.#curvatures.length = 0;
  }

  /**
   * Takes the pair of `to - from` of weights and of gradients; the oldest goes where there are too many. One
   * without positive curvature is left out, as H would not stay positive definite.
   */
  addMove(
    weights: { readonly from: Float64Array; readonly to: Float64Array },
    gradients: { readonly from: Float64Array; readonly to: Float64Array },
  ): void {
    const { length } = weights.to;
    const step = this.#spare.pop() ?? new Float64Array(length);
    const difference = this.#spare.pop() ?? new Float64Array(length);
    for (let i = 0; i < length; i += 1) {
      step[i] = weights.to[i]! - weights.from[i]!;
      difference[i] = gradients.to[i]! - gradients.from[i]!;
    }
    const curvature = dot(step, difference);
    const square = this.#squareOf(difference);
    if (curvature > 1e-12 * square) this.#keep(step, difference, curvature, square);
    else this.#spare.push(step, difference);
  }

  #squareOf(difference: Float64Array): number {
    const diagonal = this.#diagonal;
    if (diagonal === undefined) return dot(difference, difference);
    let square = 0;
    for (let i = 0; i < difference.length; i += 1) {
      square += diagonal[i]! * difference[i]! * difference[i]!;
    }
    return square;
  }

  #keep(step: Float64Array, difference: Float64Array, curvature: number, square: number): void {
    this.#steps.push(step);
    this.#differences.push(difference);
    this.#curvatures.push(curvature);
    this.#square = square;
    if (this.#steps.length <= this.#most) return;
    this.#spare.push(this.#steps.shift()!, this.#differences.shift()!);
    this.#curvatures.shift();
  }

  /** vector = H vector, in place. Cost O(pairs * size). */
  apply(vector: Float64Array): void {
    const last = this.#steps.length - 1;
    const diagonal = this.#diagonal;
    if (last < 0) {
      if (diagonal !== undefined) multiply(diagonal, vector);
      return;
    }
    const alphas = new Float64Array(this.#steps.length);
    let product = dot(this.#steps[last]!, vector);
    for (let i = last; i >= 0; i -= 1) {
      alphas[i] = product / this.#curvatures[i]!;
      const next = i > 0 ? this.#steps[i - 1]! : this.#differences[0]!;
      product = addScaledThenDot(-alphas[i]!, this.#differences[i]!, vector, next);
    }
    const gamma = this.#curvatures[last]! / this.#square;
    product *= gamma;
    scale(gamma, vector);
    if (diagonal !== undefined) {
      multiply(diagonal, vector);
      product = dot(this.#differences[0]!, vector);
    }
    for (let i = 0; i <= last; i += 1) {
      const factor = alphas[i]! - product / this.#curvatures[i]!;
      const next = this.#differences[Math.min(i + 1, last)]!;
      product = addScaledThenDot(factor, this.#steps[i]!, vector, next);
    }
  }
}

/** x[i] *= factors[i]. */
function multiply(factors: Float64Array, x: Float64Array): void {
  for (let i = 0; i < x.length; i += 1) x[i]! *= factors[i]!;
}
