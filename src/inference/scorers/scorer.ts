import type { ScorerName } from '../../core/scorer-name.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * What a scorer offers beside the best label sequence. `gradients`: a loss that leaves its gradient at the potentials
 * trains it. `log-linear`: its potentials are linear in the weights,
 * as the closed forms of coordinate descent, iterative scaling and boosting assume.
 */
export type ScorerCapability =
  | 'marginals'
  | 'n-best'
  | 'constraints'
  | 'explain'
  | 'partial labels'
  | 'workers'
  | 'gradients'
  | 'log-linear';

/**
 * Fills the potentials of a chain: turns the linear scores of a lattice, `sum of weights * values` for each label
 * and pair of labels, into what inference runs over.
 *
 * Potentials go where the linear scores were, so decoding, sums, marginals and losses are the same for all scorers.
 */
export interface Scorer {
  readonly name: ScorerName;
  /** Formula and source, for the catalogue. */
  readonly summary: string;
  /** How a pipeline file asks for it. */
  readonly example: string;
  readonly capabilities: readonly ScorerCapability[];
  /**
   * Turns the linear scores of all sentences of a batch into potentials, with the parameters that these are of. Absent
   * where they are the potentials.
   */
  readonly fill?: (lattice: Lattice, store: ParameterStore) => void;
  /**
   * Turns the residuals of sentence `s` at its potentials, d loss / d potential, into those at its linear scores,
   * by the chain rule. Needs `fill` of the same batch. Absent where both are the same.
   */
  readonly spread?: (lattice: Lattice, s: number) => void;
  /**
   * What the potentials hold of label `y` at token `t` beside its linear scores. Needs `fill` of the same batch.
   * Absent where that is nothing.
   */
  readonly surplus?: (lattice: Lattice, t: number, y: number) => number;
}
