import { type SmoothObjective, VectorSpace } from '../space/vector-space.js';
import { norm1 } from '../vectors/vectors.js';

/**
 * An objective with L1 as a smooth function of twice as many non-negative weights:
 *
 *     w = p - n,  f(p - n) + l1 * sum (p + n),  p, n >= 0
 *
 * At the minimum one of each pair is 0, so p + n = |w|. All p come first. Kazama and Tsujii (2003): the dual of
 * their inequality constraints with a common width.
 */
export class SplitObjective implements SmoothObjective {
  readonly space: VectorSpace;
  readonly #objective: SmoothObjective;
  readonly #l1: number;
  readonly #size: number;
  readonly #gradient: Float64Array;
  /** The vector evaluated last. */
  #last: Float64Array | undefined;

  constructor(objective: SmoothObjective, l1: number) {
    this.#objective = objective;
    this.#l1 = l1;
    this.#size = objective.space.size;
    this.space = new VectorSpace(2 * this.#size);
    this.#gradient = new Float64Array(this.#size);
  }

  get evaluations(): number {
    return this.#objective.evaluations;
  }

  set evaluations(count: number) {
    this.#objective.evaluations = count;
  }

  owns(vector: Float64Array): boolean {
    return this.space.has(vector);
  }

  weights(): Float64Array {
    const whole = this.#objective.weights();
    return Float64Array.from({ length: 2 * this.#size }, (_, i) =>
      Math.max(i < this.#size ? whole[i]! : -whole[i - this.#size]!, 0),
    );
  }

  place(weights: Float64Array): void {
    this.#objective.place(this.#joined(weights));
  }

  settle(): void {
    if (this.#last !== undefined) this.place(this.#last);
  }

  release(): void {
    this.#last = this.#last?.slice();
    this.#objective.release?.();
  }

  evaluate(weights: Float64Array, gradient: Float64Array): number {
    const size = this.#size;
    this.#last = weights;
    const value = this.#objective.evaluate(this.#joined(weights), this.#gradient);
    let sum = 0;
    for (let i = 0; i < size; i += 1) {
      sum += weights[i]! + weights[size + i]!;
      gradient[i] = this.#l1 + this.#gradient[i]!;
      gradient[size + i] = this.#l1 - this.#gradient[i]!;
    }
    return value + this.#l1 * sum;
  }

  penalty(weights: Float64Array): number {
    const inner = this.#objective.penalty?.(this.#joined(weights)) ?? 0;
    return inner + this.#l1 * norm1(weights);
  }

  #joined(weights: Float64Array): Float64Array {
    const positive = weights.slice(0, this.#size);
    for (let i = 0; i < this.#size; i += 1) positive[i]! -= weights[this.#size + i]!;
    return positive;
  }
}

/** Projects the slopes of a function of non-negative weights: drops slopes that would make a zero weight negative. */
export function boundedSlopes(weights: Float64Array, gradient: Float64Array, into: Float64Array) {
  for (let i = 0; i < weights.length; i += 1) {
    into[i] = weights[i] === 0 ? Math.min(gradient[i]!, 0) : gradient[i]!;
  }
}
