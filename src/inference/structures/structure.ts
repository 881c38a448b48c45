import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterLayout, ParameterStore } from '../../kernels/store/parameter-store.js';
import type { PairSums } from '../marginals/pair-marginals.js';
import type { NBest, RankedPath } from '../n-best.js';

/**
 * What not every structure can do. `chain recursions`: its labels are those of a chain, whose vectors and matrices the
 * lattice holds, for losses that go over them themselves, and for threads and machines that get the numbers of a corpus
 * alone; `label lists`: kernels may go over lists of the labels that pruning has left, and of label pairs; `single weights`: a potential is the sum of the weights of its label or pair of labels, for trainers that go over
 * weights one by one; `workers`: several threads train it online; `rules`: its labels are accepted by automata; `n-best`:
 * lists of sequences; `span probabilities`: those of spans; `approximate sums`: marginals by messages; `token features`: all
 * features follow from single tokens; `label losses`: a loss sees the labels, as partial ones and costs of one label need;
 * `sequence scores`: scores of label sequences, which probabilities are made of.
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
 * What inference runs over: fills a lattice with potentials, finds best sequences and sums, and hands residuals back to
 * where the weights are.
 *
 * Losses and decoders ask the kernel of a structure; a structure that scores more than tokens and transitions has
 * `FurtherScores` in the lattice.
 */
export interface Structure {
  readonly name: string;
  readonly capabilities: readonly StructureCapability[];
  /** How a pipeline file asks for a chain in its place. */
  readonly instead: string;
  /** Opens the lattice for a minibatch and fills in potentials. The store has room for all its rows. */
  fill(kernel: Kernel, store: ParameterStore, lattice: Lattice, batch: Minibatch): void;
  /**
   * What a loss is applied to, and summed over, in the place of the labels: `fill` fills in its potentials alone, `of` gives
   * it for a minibatch that either `fill` was called for.
   */
  readonly parts?: {
    readonly fill: Structure['fill'];
    of(lattice: Lattice, minibatch: Minibatch, layout: ParameterLayout): readonly LossChain[];
  };
  /** What finds best sequences and sums; absent where the kernel of the parameters does. */
  readonly kernel?: (base: Kernel) => Kernel;
  /**
   * Turns the residuals of sentence `s` at its potentials into those at the scores that they were made of. Absent where
   * both are the same.
   */
  readonly spread?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /**
   * Where the residuals of a minibatch are to be applied, once all its sentences are done; absent: those that the lattice
   * holds for it.
   */
  readonly place?: (lattice: Lattice, minibatch: Minibatch) => PlacedResiduals;
  /** Approximate p(y_t = y | x) into `lattice.nodes`. Needs `approximate sums`. */
  readonly approximate?: (lattice: Lattice, s: number, layout: ParameterLayout) => void;
  /** The best sequences of sentence `s`; absent where they are those of the chain in the lattice. */
  readonly paths?: (lattice: Lattice, s: number, nBest: NBest, count: number) => RankedPath[];
  /**
   * Probabilities of the pairs of neighbouring labels of sentence `s`, whose sums were made last; absent: those of the chain
   * in the lattice.
   */
  readonly pairs?: (kernel: Kernel, lattice: Lattice, s: number, sums: PairSums) => void;
  /** Probability of a span of the sentence whose sums were made last; absent: that of the chain in the lattice. */
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
  /** Labels of tokens where this minibatch has them. */
  labels(predicted: Int32Array): Int32Array;
}

/** Where labels are made of columns: the residuals of these, which the parameters are updated by. Cost O(1). */
export function placeColumns({ columns }: Lattice, minibatch: Minibatch): PlacedResiduals {
  return { lattice: columns!, minibatch, labels: predicted => predicted };
}
