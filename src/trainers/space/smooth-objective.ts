import type { VectorSpace } from './vector-space.js';

/** A function of some weights that has a gradient everywhere: what quasi-Newton trainers ask of an objective. */
export interface SmoothObjective {
  /** Vectors of the weights. */
  readonly space: VectorSpace;
  /** How often it has been evaluated. */
  evaluations: number;
  /** Whether a vector is one of `space`. */
  owns(vector: Float64Array): boolean;
  /** The present weights as a vector. */
  weights(): Float64Array;
  /** Makes a vector the present weights. */
  place(weights: Float64Array): void;
  /** Makes the vector of `space` that was evaluated last, as it is now, the present weights. */
  settle(): void;
  /** Gives back what only further evaluations need: there will be none. */
  release?(): void;
  /** The value at `weights`, and its gradient into `gradient`. */
  evaluate(weights: Float64Array, gradient: Float64Array): number;
}
