import type { Component, Penalties, SettingRefusal, TrainingSettings } from '../core/component.js';
import type { ScorerName } from '../core/scorer.js';
import type { Trainer } from '../core/training/trainer.js';
import type { Loss } from '../losses/loss.js';
import type { Objective } from './objective.js';

/** The context in which a trainer is created. */
export interface TrainerContext {
  /** Returns the objective with the L2 penalty `l2`. */
  objective(l2: number): Objective;
  /**
   * Returns the parts of conjunctions, for trainers that distinguish them from single features; see `FeatureParts`.
   */
  parts?(): FeatureParts;
  /** Sentence order in passes of an online optimizer; default: shuffled, with seed 1. */
  readonly order?: PassOrder;
}

/**
 * Two rows for each row of the state features: the parts of a conjunction, -1 for a part without a row; for a single
 * feature, its own row twice.
 */
export type FeatureParts = Int32Array;

/** The sentence order in passes of an online optimizer. */
export interface PassOrder {
  readonly seed: number;
  /** Whether each pass has a new random order. */
  readonly shuffle: boolean;
}

/** The catalogue entry of a trainer. */
export interface TrainerComponent<Options> extends Component<Options, TrainerContext, Trainer> {
  /** Returns whether it does not evaluate the whole objective, so that threads cannot share its work. */
  oneThread?(options: Options): boolean;
  /** Returns whether it needs scores that are linear in the weights; see `ScorerCapability`. */
  logLinear?(options: Options): boolean;
  /** Returns the penalties that these options add to the losses of the corpus. Absent: none. */
  penalty?(options: Options): Penalties;
  /** Names of supported losses, for its documentation page; `needs` decides. */
  readonly losses?: readonly string[];
  /** Returns the scorer that only this trainer supports, such as trees, and the only one it trains. */
  makes?(options: Options): ScorerName | undefined;
  /** Whether it also learns from unlabelled records. Default false. */
  readonly unlabelled?: boolean;
  /** Whether it adds weights one by one, so that the model must not have all of them from the start. Default false. */
  readonly addsWeights?: boolean;
  /** Whether its iterations report margins, see `Trainer.margin`. Default false. */
  readonly margins?: boolean;
  /** Returns the first training setting that cannot be combined with these options, or undefined. */
  refuses?(options: Options, training: TrainingSettings): SettingRefusal | undefined;
  /**
   * Returns the losses needed with these options if the given one is not among them; otherwise undefined. Absent: any
   * smooth loss is supported.
   */
  needs?(options: Options, loss: Loss): string | undefined;
}

/**
 * A batch optimizer with its options, as returned by `lbfgs({ l2: 0.5 })` and accepted by `train` and `createLearner`.
 * A custom optimizer is plain data: `{ kind: 'batch', component, options }`.
 */
export interface BatchOptimizer<Options> {
  readonly kind: 'batch';
  readonly component: TrainerComponent<Options>;
  /** The options as given; defaults are filled in on use. */
  readonly options: Partial<Options>;
}
