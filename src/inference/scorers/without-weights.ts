import type { Refusal, TrainingSettings } from '../../core/component.js';
import type { ScorerName } from '../../core/scorer.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** What models have instead of weights, and alternatives to settings that need weights. */
interface InPlace {
  readonly parts: string;
  readonly smaller: string;
  readonly continued: string;
  readonly instead: string;
}

/** The settings of a training that have nothing to act on where one optimizer makes parts of its own, not weights. */
export function withoutWeights(scorer: ScorerName, has: InPlace): NonNullable<Scorer['without']> {
  const refusal = (fix: string): Refusal => ({
    problem: `the scorer ${scorer} has ${has.parts} instead of weights`,
    fix,
  });
  return {
    threshold: refusal(`leave it out: ${has.smaller}`),
    temperature: refusal('leave it out'),
    compact: refusal('leave it out'),
    start: {
      problem: `the scorer ${scorer} cannot continue the ${has.continued} of a model file`,
      fix: has.instead,
    },
  };
}

/**
 * What a scorer offers besides the best label sequence. `gradients`: a loss that leaves its gradient at the potentials
 * trains it. `log-linear`: its potentials are linear in the weights,
 * as the closed forms of coordinate descent, iterative scaling and boosting assume. `structures`: it goes with segments,
 * graphs, layers and codes too. `mean`: the mean of several models is a model. `tables`: it has
 * tables of counts, and densities of numbers, instead of learned weights.
 * `rounding`: its weights can be rounded, each by itself. `encodings`: labels may be in another scheme than that of the records.
 */
export type ScorerCapability =
  | 'marginals'
  | 'n-best'
  | 'constraints'
  | 'explain'
  | 'partial labels'
  | 'workers'
  | 'gradients'
  | 'log-linear'
  | 'structures'
  | 'mean'
  | 'tables'
  | 'rounding'
  | 'encodings';

/** A setting of features, in use: `support` is the one of observed pairs. */
export type FeatureSetting = 'preset' | 'hashed' | 'mutualInformation' | 'prune' | 'support';

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
  /** Its form in a pipeline file. */
  readonly example: string;
  readonly capabilities: readonly ScorerCapability[];
  /** Whether a feature of its models may have no weight, as parts such as trees score tokens too. Default false. */
  readonly needsNoWeights?: boolean;
  /** What to do where another optimizer is chosen than those that alone make its models. Absent: any does that has gradients. */
  readonly madeBy?: string;
  /** The optimizer that it is trained by where none is chosen, with its options. Absent: the usual one. */
  readonly trainer?: Readonly<Record<string, object>>;
  /** Settings of a training that its models have nothing for: why, and what to do. */
  readonly without?: Partial<Record<keyof TrainingSettings, Refusal>>;
  /** Settings of features that its models have nothing for. */
  readonly withoutFeatures?: Partial<Record<FeatureSetting, Refusal>>;
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
   * What the potentials add to the linear scores of label `y` at token `t`. Needs `fill` of the same batch.
   * Absent where that is nothing.
   */
  readonly surplus?: (lattice: Lattice, t: number, y: number) => number;
}
