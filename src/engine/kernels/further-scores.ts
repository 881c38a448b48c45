import type { Reals } from '../core/arrays.js';

/**
 * Scores of a structure in addition to those of tokens and transitions; losses turn them into residuals.
 */
export interface FurtherScores {
  /**
   * Returns the residuals of sentence `s`, with the minibatch's tokens `[first, end)`, as a view; after inference they
   * hold probabilities.
   */
  residuals(s: number, first: number, end: number): Reals;
  /** Adds `amount` to the residuals of everything selected by the token labels `path`. */
  addPath(s: number, path: Int32Array, first: number, end: number, amount: number): void;
}
