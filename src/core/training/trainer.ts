import type { Stateful } from './state.js';

/** Why a trainer has stopped. */
export type Ending =
  /** The gradient is close enough to zero. */
  | 'gradient'
  /** The objective hardly decreases any more. */
  | 'decrease'
  /** No step along the direction decreases the objective: floating point has run out of digits. */
  | 'precision'
  /** The duality gap is close enough to zero. */
  | 'gap'
  /** A whole pass had no mistakes: perceptrons have nothing left to learn. */
  | 'separated'
  /** The last step of a regularisation path has used up its iterations. */
  | 'iterations';

/** The current position of a trainer on a regularisation path. */
export interface PathPoint {
  /** From 1. */
  readonly step: number;
  /** Steps of the whole path. */
  readonly of: number;
  /** L1 penalty of this step. */
  readonly l1: number;
  /** Iterations of this step so far. */
  readonly iterations: number;
  /** Whether the step ends here. */
  readonly ended: boolean;
}

/** How many sentences of a pass were wrong, and by what margin, for losses that have margins. */
export interface PassMargin {
  /**
   * Sentences for which the perceptron or hinge loss finds other labels than the gold ones, so that weights move; of the
   * softmax-margin loss, sentences with a negative margin. Each sentence is scored with the weights before its own
   * update.
   */
  readonly mistakes: number;
  /**
   * The smallest margin of a sentence, see `Loss.margin`: a difference of scores, not divided by the length of the weights,
   * unlike the margin of Collins's theorem (lecture 4, "Convergence of the Structured Perceptron").
   */
  readonly smallest: number;
}

/** The result of one iteration. */
export interface Iteration {
  /** From 1. */
  readonly iteration: number;
  /** The whole objective, penalties included. */
  readonly objective: number;
  /**
   * Euclidean length of the gradient, or of the subgradient that is nearest to zero; the duality gap, where a
   * trainer works on the dual.
   */
  readonly gradientNorm: number;
  /** The duality gap as a share of the objective, where a trainer works on the dual. */
  readonly gap?: number;
  /** Passes over the corpus since the start. */
  readonly evaluations: number;
  /** Weights that are not zero. */
  readonly active: number;
  /** Present on the last one. */
  readonly ending?: Ending;
  /** Present on a regularisation path. */
  readonly path?: PathPoint;
}

/**
 * A batch optimizer: minimises an objective over a whole corpus, iteration by iteration.
 *
 * After each iteration, and `settle` where there is one, the objective's parameters hold the weights; `save`
 * holds all that it needs to continue to the same bytes. Iterating after the ending is a caller error.
 */
export interface Trainer extends Stateful {
  readonly name: string;
  iterate(): Iteration;
  /** Mistakes and smallest margin of the last iteration; absent for losses without margins. */
  readonly margin?: PassMargin | undefined;
  /** Writes the weights into the parameters, for readers. */
  settle?(): void;
  /**
   * Frees what only further iterations need; afterwards the trainer can neither iterate nor save. Returns an equivalent
   * of `settle` that does not hold on to the trainer, if there is one.
   */
  release?(): (() => void) | undefined;
}
