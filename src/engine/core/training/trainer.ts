import type { Stateful } from './state.js';

/** Reason why a trainer has stopped. */
export type Ending =
  /** The gradient is close enough to zero. */
  | 'gradient'
  /** The objective hardly decreases any more. */
  | 'decrease'
  /** No step along the direction decreases the objective: floating point has run out of digits. */
  | 'precision'
  /** The duality gap is close enough to zero. */
  | 'gap'
  /** A whole pass had no mistakes, so perceptrons have nothing left to learn. */
  | 'separated'
  /** The last step of a regularisation path has used up its iterations. */
  | 'iterations';

/** Current position of a trainer on a regularisation path. */
export interface PathPoint {
  /** Number of the step, from 1. */
  readonly step: number;
  /** Number of steps on the whole path. */
  readonly of: number;
  /** L1 penalty of this step. */
  readonly l1: number;
  /** Number of iterations of this step so far. */
  readonly iterations: number;
  /** Whether the step ends here. */
  readonly ended: boolean;
}

/** Mistakes and smallest margin of a pass, for losses that have margins. */
export interface PassMargin {
  /**
   * Number of sentences for which the perceptron or hinge loss finds labels other than the gold
   * ones, so that weights change; for the softmax-margin loss, number of sentences with a negative
   * margin. Each sentence is scored with the weights before its own update.
   */
  readonly mistakes: number;
  /**
   * Smallest margin of a sentence (see `Loss.margin`): a difference of scores that, unlike the
   * margin of Collins's theorem (lecture 4, "Convergence of the Structured Perceptron"), is not
   * divided by the norm of the weights.
   */
  readonly smallest: number;
}

/** Result of one iteration. */
export interface Iteration {
  /** Number of the iteration, from 1. */
  readonly iteration: number;
  /** Value of the whole objective, including penalties. */
  readonly objective: number;
  /** Sum of the losses of the corpus: the objective without penalties. */
  readonly loss: number;
  /**
   * Euclidean norm of the gradient, or of the subgradient nearest to zero; the duality gap if the
   * trainer works on the dual.
   */
  readonly gradientNorm: number;
  /** Duality gap as a share of the objective, if the trainer works on the dual. */
  readonly gap?: number;
  /** Number of passes through the corpus since the start. */
  readonly evaluations: number;
  /** Number of non-zero weights. */
  readonly active: number;
  /** Reason for stopping; present on the last iteration. */
  readonly ending?: Ending;
  /** Position on a regularisation path, if there is one. */
  readonly path?: PathPoint;
}

/**
 * A batch optimizer, which minimises an objective over a whole corpus iteration by iteration.
 *
 * After each iteration, followed by `settle` if it is defined, the objective's parameters contain
 * the weights. The state from `save` suffices to continue to the same bytes. Iterating after the
 * ending is a caller error.
 */
export interface Trainer extends Stateful {
  readonly name: string;
  iterate(): Iteration;
  /** Mistakes and smallest margin of the last iteration; absent for losses without margins. */
  readonly margin?: PassMargin | undefined;
  /** Writes the weights into the parameters, for readers. */
  settle?(): void;
  /**
   * Frees what only further iterations need; afterwards the trainer can neither iterate nor save.
   * Returns an equivalent of `settle` that does not keep the trainer in memory, if there is one.
   */
  release?(): (() => void) | undefined;
}
