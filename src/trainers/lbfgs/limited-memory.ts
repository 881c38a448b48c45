import type { VectorSpace } from '../space/vector-space.js';

/**
 * The last pairs of steps and gradient differences, and what they say of the curvature: an approximation H
 * of the inverse Hessian that is never written out. All vectors are of one space.
 *
 * Nocedal (1980); the two loops as in Nocedal and Wright, Numerical Optimization (2006), algorithm 7.4.
 */
export class LimitedMemory {
  readonly #space: VectorSpace;
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
  constructor(space: VectorSpace, most: number, diagonal?: Float64Array) {
    this.#space = space;
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

  /** Back to saved pairs, in the order of `vectors`; they may be of any memory. */
  restore(vectors: readonly Float64Array[]): void {
    this.clear();
    for (let i = 0; i + 1 < vectors.length; i += 2) {
      const [step, difference] = [this.#vector(), this.#vector()];
      step.set(vectors[i]!);
      difference.set(vectors[i + 1]!);
      this.#keep(step, difference, this.#space.dot(difference, step), this.#squareOf(difference));
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
    const space = this.#space;
    const [step, difference] = [this.#vector(), this.#vector()];
    space.combine(step, 1, weights.to, -1, weights.from);
    const curvature = space.combine(difference, 1, gradients.to, -1, gradients.from, step);
    const square = this.#squareOf(difference);
    if (curvature > 1e-12 * square) this.#keep(step, difference, curvature, square);
    else this.#spare.push(step, difference);
  }

  #squareOf(difference: Float64Array): number {
    const space = this.#space;
    if (this.#diagonal === undefined) return space.dot(difference, difference);
    const scaled = this.#vector();
    const square = space.multiply(scaled, this.#diagonal, difference, difference);
    this.#spare.push(scaled);
    return square;
  }

  #vector(): Float64Array {
    return this.#spare.pop() ?? this.#space.vector();
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
    const space = this.#space;
    const steps = this.#steps;
    const differences = this.#differences;
    const last = steps.length - 1;
    const diagonal = this.#diagonal;
    if (last < 0) {
      if (diagonal !== undefined) space.multiply(vector, diagonal, vector);
      return;
    }
    const alphas = new Float64Array(steps.length);
    let product = space.dot(steps[last]!, vector);
    for (let i = last; i >= 0; i -= 1) {
      alphas[i] = product / this.#curvatures[i]!;
      const next = i > 0 ? steps[i - 1]! : differences[0]!;
      product = space.combine(vector, 1, vector, -alphas[i]!, differences[i]!, next);
    }
    let gamma = this.#curvatures[last]! / this.#square;
    if (diagonal !== undefined) product = space.multiply(vector, diagonal, vector, differences[0]!);
    product *= gamma;
    for (let i = 0; i <= last; i += 1) {
      const factor = alphas[i]! - product / this.#curvatures[i]!;
      const next = differences[Math.min(i + 1, last)]!;
      product = space.combine(vector, gamma, vector, factor, steps[i]!, next);
      gamma = 1;
    }
  }
}
