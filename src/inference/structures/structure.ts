import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterLayout, ParameterStore } from '../../kernels/store/parameter-store.js';
import type { PairSums } from '../marginals/pair-marginals.js';
import type { NBest, RankedPath } from '../n-best.js';

/**
 * Capabilities that not every structure has. `chain recursions`: its labels form a chain whose vectors and matrices are in
 * the lattice, for losses that read them directly, and for threads and machines that only get the numbers of a corpus;
 * `label lists`: kernels may use lists of unpruned labels and of label pairs; `single weights`: a potential is the sum of
 * the weights of its label or label pair, for trainers that update single weights; `workers`: can be trained online by
 * several threads; `rules`: label sequences can be restricted by automata; `n-best`: lists of sequences; `span
 * probabilities`: probabilities of spans; `approximate sums`: marginals by message passing; `token features`: all features
 * depend on single tokens; `label losses`: a loss sees the labels, as partial labels and costs per label require; `sequence
 * scores`: scores of label sequences, from which probabilities are computed.
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
  /** How to ask for a chain instead in a pipeline file. */
  readonly instead: string;
  /**
   * Opens the lattice for a minibatch and fills in potentials. The store must have room for all its
   * rows.
   */
  fill(kernel: Kernel, store: ParameterStore, lattice: Lattice, batch: Minibatch): void;
  /**
   * The parts over which a loss is summed instead of the labels: `fill` computes only their potentials, `of` returns them
   * for a minibatch after either `fill`.
   */
  readonly parts?: {
    readonly fill: Structure['fill'];
    of(lattice: Lattice, minibatch: Minibatch, layout: ParameterLayout): readonly LossChain[];
  };
  /** Finds best sequences and sums; absent if the kernel of the parameters does. */
  readonly kernel?: (base: Kernel) => Kernel;
  /**
   * Turns the residuals of sentence `s` at its potentials into those at the scores that they were computed from. Absent
   * if both are the same.
   */
  readonly spread?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /** Where to apply the residuals of a minibatch, after all its sentences; absent: those in the lattice. */
  readonly place?: (lattice: Lattice, minibatch: Minibatch) => PlacedResiduals;
  /** Writes approximate p(y_t = y | x) to `lattice.nodes`. Needs `approximate sums`. */
  readonly approximate?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /** The best sequences of sentence `s`; absent if they are those of the chain in the lattice. */
  readonly paths?: (lattice: Lattice, s: number, nBest: NBest, count: number) => RankedPath[];
  /**
   * Probabilities of the neighbouring label pairs of the last sentence summed over, `s`; absent: those of the chain in the
   * lattice.
   */
  readonly pairs?: (kernel: Kernel, lattice: Lattice, s: number, sums: PairSums) => void;
  /** Probability of a span of the last sentence summed over; absent: that of the chain in the lattice. */
  readonly spanProbability?: (
    kernel: Kernel,
    lattice: Lattice,
    span: { readonly label: string; readonly start: number; readonly end: number },
  ) => number;
}

/** A chain that a loss is applied to: its potentials, and the gold label of each token. */
export interface LossChain {
  readonly lattice: Lattice;
  readonly gold: Int32Array;
}

/** Residuals, and the minibatch whose features they belong to. */
export interface PlacedResiduals {
  readonly lattice: Lattice;
  readonly minibatch: Minibatch;
  /** Maps labels of tokens to the positions of this minibatch. */
  labels(predicted: Int32Array): Int32Array;
}

/**
 * For labels composed of columns: returns the residuals of the columns, which update the parameters. Cost O(1).
 */
export function placeColumns({ columns }: Lattice, minibatch: Minibatch): PlacedResiduals {
  return { lattice: columns!, minibatch, labels: predicted => predicted };
}
