import type { Refusal, TrainingSettings } from '../../core/component.js';
import type { ScorerName } from '../../core/scorer.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * The trained parts that replace a model's weights, and alternatives to settings that need weights.
 */
interface InPlace {
  readonly parts: string;
  readonly smaller: string;
  readonly continued: string;
  readonly instead: string;
}

/**
 * Returns the training settings without effect because the optimizer trains its own parts and no
 * weights.
 */
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
 * The capabilities of a scorer in addition to the best label sequence. `gradients`: can be trained
 * by a loss that leaves its gradient at the potentials. `log-linear`: its potentials are linear in
 * the weights, as the closed forms of coordinate descent, iterative scaling and boosting assume.
 * `structures`: also supports segments, graphs, layers and codes. `mean`: the mean of several
 * models is a model. `tables`: has tables of counts, and densities of numbers, instead of learned
 * weights. `rounding`: its weights can be rounded individually. `encodings`: labels may use another
 * scheme than the records.
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

/** A feature setting in use: `support` is the one of observed pairs. */
export type FeatureSetting = 'preset' | 'hashed' | 'mutualInformation' | 'prune' | 'support';

/**
 * Fills the potentials of a chain: turns a lattice's linear scores, `sum of weights * values` for
 * each label and label pair, into the potentials for inference.
 *
 * Potentials overwrite the linear scores, so decoding, sums, marginals and losses are the same for all scorers.
 */
export interface Scorer {
  readonly name: ScorerName;
  /** Formula and source, shown in the catalogue. */
  readonly summary: string;
  /** Form of the scorer in a pipeline file. */
  readonly example: string;
  readonly capabilities: readonly ScorerCapability[];
  /**
   * Whether features may have no weights because parts such as trees score tokens too. Default
   * false.
   */
  readonly needsNoWeights?: boolean;
  /**
   * The fix for an optimizer that cannot train this scorer's models. Absent: any gradient-based
   * optimizer can.
   */
  readonly madeBy?: string;
  /** Default optimizer with its options. Absent: the general default. */
  readonly trainer?: Readonly<Record<string, object>>;
  /** Training settings that do not apply to this scorer's models, with the reason and the fix. */
  readonly without?: Partial<Record<keyof TrainingSettings, Refusal>>;
  /** Feature settings that do not apply to this scorer's models. */
  readonly withoutFeatures?: Partial<Record<FeatureSetting, Refusal>>;
  /**
   * Turns the linear scores of a batch's sentences into potentials, with the parameters that the
   * scores were computed from. Absent if the scores are the potentials.
   */
  readonly fill?: (lattice: Lattice, store: ParameterStore) => void;
  /**
   * Turns the residuals of sentence `s` at its potentials, d loss / d potential, into the residuals at its linear
   * scores, by the chain rule. Needs `fill` of the same batch. Absent if both are the same.
   */
  readonly spread?: (lattice: Lattice, s: number) => void;
  /**
   * The difference between potential and linear score of label `y` at token `t`. Needs `fill` of
   * the same batch. Absent if it is always 0.
   */
  readonly surplus?: (lattice: Lattice, t: number, y: number) => number;
}
