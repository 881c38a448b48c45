import type { ScorerName } from '../core/scorer.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { LabelCosts } from './label-costs.js';

/** A loss as plain data, from which another thread makes the same one. */
export interface SharedLoss {
  readonly name: string;
  readonly costs?: LabelCosts;
  /** Of the exponential losses, where it is not the default. */
  readonly bound?: number;
  /** Options of a component, checked; absent for the losses that have none. */
  readonly options?: unknown;
  /** What `LossContext.outside` gives. */
  readonly outside?: number;
}

/** What a loss is told about the training that it is created for. */
export interface LossContext {
  /** The number of the label `O`; -1 until it is known. */
  outside(): number;
}

/**
 * A loss turns the scored lattice of a sentence into residuals in place: `lattice.nodes` and
 * `lattice.edges` become expected minus observed, and so do the sums in `lattice.transitions`.
 */
export interface Loss {
  readonly name: string;
  /** Formula and source, for the catalogue. */
  readonly summary: string;
  /** Its form in a pipeline file. */
  readonly example: string;
  /** Whether `apply` writes the best labels to `predicted`. */
  readonly predicts: boolean;
  /** Whether it has a gradient everywhere, which most batch optimizers need. */
  readonly smooth: boolean;
  /** Whether it works only with optimizers that name it among their losses. Default false. */
  readonly exclusive?: boolean;
  /** How another thread creates the same loss; required for losses that are not among `losses`. */
  shared?(): SharedLoss;
  /** Returns the loss for one training, if it depends on the training. */
  inTraining?(context: LossContext): Loss;
  /**
   * Scorers of the models that it can train. Absent: all that have the capability `gradients`, as `apply` leaves the
   * gradient at the potentials.
   */
  readonly scorers?: readonly ScorerName[];
  /**
   * Whether it trains models of any structure, not those alone whose labels are a chain: it asks the kernel for sums and
   * best sequences only, and leaves residuals by `addPath` and `clearResiduals`. Default false.
   */
  readonly anyStructure?: boolean;
  /**
   * Whether it is minus the score of the labels, without residuals if they are not read: then no other label
   * needs to be scored. Default false.
   */
  readonly scoresLabelsAlone?: boolean;
  /** Whether `apply` has to see the labels themselves, as costs of one label need, not parts of them. Default false. */
  readonly seesLabels?: boolean;
  /**
   * The margin of a sentence of weight 1, as far as its loss tells: by how much the gold labels score more than other label
   * sequences. Absent: the loss is not about margins, and training reports none.
   */
  margin?(loss: number): number;
  /**
   * The loss per token of a chain with all weights 0, in nats, for labelled sentences and `labels` labels. A training whose
   * loss stays above twice that diverges. Absent: not known.
   */
  untrained?(labels: number): number;
  /**
   * Loss of sentence `s` with the gold labels `gold` (one a token of the batch, none -1), or, where it
   * is partially labelled, with the labels that the batch allows; its best labels go into `predicted` where
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
