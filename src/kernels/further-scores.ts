import type { Reals } from '../core/arrays.js';

/**
 * What a structure scores in addition to tokens and transitions of a lattice's minibatch; losses turn it into residuals.
 */
export interface FurtherScores {
  /**
   * Returns the residuals of sentence `s` with the tokens `[first, end)` of the minibatch, as a view: probabilities
   * after inference.
   */
  residuals(s: number, first: number, end: number): Reals;
  /** Adds `amount` to the residuals of everything that these labels of the tokens select. */
  addPath(s: number, path: Int32Array, first: number, end: number, amount: number): void;
}
