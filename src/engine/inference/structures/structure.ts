import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterLayout, ParameterStore } from '../../kernels/store/parameter-store.js';
import type { PairSums } from '../marginals/pair-marginals.js';
import type { NBest, RankedPath } from '../n-best.js';

/**
 * Capabilities that not every structure has. `chain recursions`: its labels form a chain whose vectors and matrices
 * are in the lattice, for losses that read them directly, and for threads and machines that receive only a corpus as
 * numbers; `label lists`: kernels may use lists of unpruned labels and label pairs; `single weights`: a potential is
 * the sum of its label's or label pair's weights, for trainers that update single weights; `workers`: can be trained
 * online by several threads; `rules`: label sequences can be restricted by automata; `n-best`: lists of sequences;
 * `span probabilities`: probabilities of spans; `approximate sums`: marginals by message passing; `token features`:
 * all features depend on single tokens; `label losses`: a loss has access to the labels, which partial labels and
 * costs per label require; `sequence scores`: scores of label sequences, from which probabilities are computed.
 */
export type StructureCapability =
  | 'chain recursions'
  | 'label lists'
  | 'single weights'
  | 'workers'
  | 'rules'
  | 'n-best'
  | 'span probabilities'
  | 'approximate sums'
  | 'token features'
  | 'label losses'
  | 'sequence scores';

/**
 * The structure that inference runs over: fills a lattice with potentials, finds best sequences and sums, and maps
 * residuals back to the weights.
 *
 * Losses and decoders ask the kernel of a structure; a structure that scores more than tokens and transitions has
 * `FurtherScores` in the lattice.
 */
export interface Structure {
  readonly name: string;
  readonly capabilities: readonly StructureCapability[];
  /** Pipeline file setting that selects a chain instead. */
  readonly instead: string;
  /**
   * Opens the lattice for a minibatch and fills in its potentials. The store must have room for all
   * rows of the minibatch.
   */
  fill(kernel: Kernel, store: ParameterStore, lattice: Lattice, batch: Minibatch): void;
  /**
   * The parts over which a loss is summed instead of the labels: `fill` computes only the parts' potentials, and `of`
   * returns the parts for a minibatch after either `fill`.
   */
  readonly parts?: {
    readonly fill: Structure['fill'];
    of(lattice: Lattice, minibatch: Minibatch, layout: ParameterLayout): readonly LossChain[];
  };
  /** Returns a kernel that finds best sequences and sums; absent if the base kernel does. */
  readonly kernel?: (base: Kernel) => Kernel;
  /**
   * Turns the residuals of sentence `s` at its potentials into residuals at the scores from which the potentials were
   * computed. Absent if both are the same.
   */
  readonly spread?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /**
   * Returns where to apply a minibatch's residuals, after all its sentences; absent: the residuals in the
   * lattice.
   */
  readonly place?: (lattice: Lattice, minibatch: Minibatch) => PlacedResiduals;
  /** Writes approximate p(y_t = y | x) to `lattice.nodes`. Needs `approximate sums`. */
  readonly approximate?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /**
   * Returns the best sequences of sentence `s`; absent if they are those of the chain in the
   * lattice.
   */
  readonly paths?: (lattice: Lattice, s: number, nBest: NBest, count: number) => RankedPath[];
  /**
   * Returns the probabilities of neighbouring label pairs in `s`, the sentence summed over last; absent: those of the
   * chain in the lattice.
   */
  readonly pairs?: (kernel: Kernel, lattice: Lattice, s: number, sums: PairSums) => void;
  /**
   * Returns the probability of a span of the sentence summed over last; absent: that of the chain in the
   * lattice.
   */
  readonly spanProbability?: (
    kernel: Kernel,
    lattice: Lattice,
    span: { readonly label: string; readonly start: number; readonly end: number },
  ) => number;
}

/** A chain to which a loss is applied: its potentials, and each token's gold label. */
export interface LossChain {
  readonly lattice: Lattice;
  readonly gold: Int32Array;
}

/** Residuals, and the minibatch to whose features they belong. */
export interface PlacedResiduals {
  readonly lattice: Lattice;
  readonly minibatch: Minibatch;
  /** Maps token labels to the positions of this minibatch. */
  labels(predicted: Int32Array): Int32Array;
}

/**
 * Returns the residuals of the columns, which update the parameters, if labels are composed of columns. Cost
 * O(1).
 */
export function placeColumns({ columns }: Lattice, minibatch: Minibatch): PlacedResiduals {
  return { lattice: columns!, minibatch, labels: predicted => predicted };
}
