import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';

/**
 * A loss turns the scored lattice of a sentence into residuals in place: `lattice.nodes` and
 * `lattice.edges` become expected minus observed, and so do the sums in `lattice.transitions`.
 */
export interface Loss {
  readonly name:
    | 'log'
    | 'exponential'
    | 'pointwise-log'
    | 'pointwise-exponential'
    | 'softmax-margin'
    | 'hinge'
    | 'perceptron';
  /** Formula and source, for the catalogue. */
  readonly summary: string;
  /** How a pipeline file asks for it. */
  readonly example: string;
  /** Whether `apply` leaves the best labels in `predicted` by itself. */
  readonly predicts: boolean;
  /** Whether it has a gradient everywhere, which most batch optimizers need. */
  readonly smooth: boolean;
  /**
   * Loss of sentence `s` with the gold labels `gold` (one a token of the batch, none -1), or, where it
   * is labelled in part, with the labels that the batch allows; its best labels go into `predicted` where
   * the loss finds them anyway.
   */
  apply(
    kernel: Kernel,
    lattice: Lattice,
    s: number,
    gold: Int32Array,
    predicted: Int32Array,
  ): number;
}
