import type { Reals } from '../core/arrays.js';

/** What a structure scores besides tokens and transitions, for the minibatch of a lattice: residuals that losses leave. */
export interface FurtherScores {
  /**
   * Those of sentence `s` with the tokens `[first, end)` of the minibatch, as a view: probabilities after inference.
   */
  residuals(s: number, first: number, end: number): Reals;
  /** Adds `amount` to the residuals of all that the labels of these tokens have. */
  addPath(s: number, path: Int32Array, first: number, end: number, amount: number): void;
}
