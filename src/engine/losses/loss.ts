import type { ScorerName } from '../core/scorer.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { LabelCosts } from './label-costs.js';

/** A loss as plain data, from which another thread recreates it. */
export interface SharedLoss {
  readonly name: string;
  readonly costs?: LabelCosts;
  /** Bound of an exponential loss, if it is not the default. */
  readonly bound?: number;
  /** Checked options of a component; absent for losses without options. */
  readonly options?: unknown;
  /** Value of `LossContext.outside`. */
  readonly outside?: number;
}

/** Information about the training that a loss is used in. */
export interface LossContext {
  /** Returns the number of the label `O`; -1 until it is known. */
  outside(): number;
}

/**
 * A loss turns the scored lattice of a sentence into residuals in place: `lattice.nodes`,
 * `lattice.edges` and the sums in `lattice.transitions` become expected minus observed values.
 */
export interface Loss {
  readonly name: string;
  /** Formula and source, shown in the catalogue. */
  readonly summary: string;
  /** Form of the loss in a pipeline file. */
  readonly example: string;
  /** Whether `apply` writes the best labels to `predicted`. */
  readonly predicts: boolean;
  /** Whether the loss has a gradient everywhere, which most batch optimizers need. */
  readonly smooth: boolean;
  /** Whether the loss works only with optimizers that list it among their losses. Default false. */
  readonly exclusive?: boolean;
  /**
   * Returns the data from which another thread recreates the loss; required for losses that are not
   * among `losses`.
   */
  shared?(): SharedLoss;
  /** Returns the loss for one training, if it depends on the training. */
  inTraining?(context: LossContext): Loss;
  /**
   * Scorers whose models the loss can train. Absent: all with the capability `gradients`, because `apply` leaves the
   * gradient at the potentials.
   */
  readonly scorers?: readonly ScorerName[];
  /**
   * Whether the loss trains models of any structure, not only chains: it then uses only the kernel's sums and best
   * sequences, and writes residuals with `addPath` and `clearResiduals`. Default false.
   */
  readonly anyStructure?: boolean;
  /**
   * Whether the loss is minus the score of the labels and needs no residuals if they are not read, so that
   * no other label has to be scored. Default false.
   */
  readonly scoresLabelsAlone?: boolean;
  /**
   * Whether `apply` needs the labels themselves rather than their parts, which costs per label require. Default false.
   */
  readonly seesLabels?: boolean;
  /**
   * Returns the margin of a sentence of weight 1, derived from its loss: the excess of the gold labels' score over
   * those of other label sequences. Absent: the loss has no margin, and training reports none.
   */
  margin?(loss: number): number;
  /**
   * Returns the loss per token of a chain whose weights are all 0, in nats, for labelled sentences and `labels`
   * labels. A training diverges if its loss stays above twice this value. Absent: unknown.
   */
  untrained?(labels: number): number;
  /**
   * Returns the loss of sentence `s` for the gold labels `gold` (one per token of the batch, -1 for none)
   * or, if the sentence is partially labelled, for the allowed labels; writes the sentence's best labels
   * to `predicted` if the loss computes them anyway.
   */
  apply(
    kernel: Kernel,
    lattice: Lattice,
    s: number,
    gold: Int32Array,
    predicted: Int32Array,
  ): number;
}
