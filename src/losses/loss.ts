import type { ScorerName } from '../core/scorer.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';
import type { LabelCosts } from './label-costs.js';

/** A loss as plain data, from which another thread recreates it. */
export interface SharedLoss {
  readonly name: string;
  readonly costs?: LabelCosts;
  /** For the exponential losses, if not the default. */
  readonly bound?: number;
  /** Options of a component, checked; absent for the losses that have none. */
  readonly options?: unknown;
  /** The value of `LossContext.outside`. */
  readonly outside?: number;
}

/** What a loss knows about its training. */
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
   * Scorers of the models that it can train. Absent: all with the capability `gradients`, because `apply` leaves the
   * gradient at the potentials.
   */
  readonly scorers?: readonly ScorerName[];
  /**
   * Whether it trains models of any structure, not only chains: it uses only the kernel's sums and best sequences, and
   * writes residuals with `addPath` and `clearResiduals`. Default false.
   */
  readonly anyStructure?: boolean;
  /**
   * Whether it is minus the score of the labels, without residuals if they are not read: then no other label
   * needs to be scored. Default false.
   */
  readonly scoresLabelsAlone?: boolean;
  /**
   * Whether `apply` must see the labels themselves rather than their parts, as costs per label require. Default false.
   */
  readonly seesLabels?: boolean;
  /**
   * The margin of a sentence of weight 1, as derived from its loss: by how much the gold labels outscore other label
   * sequences. Absent: the loss has no margin, and training reports none.
   */
  margin?(loss: number): number;
  /**
   * The loss per token of a chain with all weights 0, in nats, for labelled sentences and `labels` labels. A training whose
   * loss stays above twice this value diverges. Absent: unknown.
   */
  untrained?(labels: number): number;
  /**
   * Returns the loss of sentence `s` with the gold labels `gold` (one per token of the batch, -1 for none)
   * or, if it is partially labelled, with the allowed labels; writes its best labels to `predicted` if the
   * loss computes them anyway.
   */
  apply(
    kernel: Kernel,
    lattice: Lattice,
    s: number,
    gold: Int32Array,
    predicted: Int32Array,
  ): number;
}
