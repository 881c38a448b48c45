import type { Component, SettingRefusal, TrainingSettings } from '../core/component.js';
import type { ScorerName } from '../core/scorer.js';
import type { Trainer } from '../core/training/trainer.js';
import type { Loss } from '../losses/loss.js';
import type { Objective } from './objective.js';

/** The context of a trainer. */
export interface TrainerContext {
  /** Returns the objective with the L2 penalty of the options. */
  objective(l2: number): Objective;
  /**
   * The features that conjunctions consist of, for trainers that distinguish them from single ones; see
   * `FeatureParts`.
   */
  parts?(): FeatureParts;
  /** Order of the passes of an online optimizer; default: shuffled, with seed 1. */
  readonly order?: PassOrder;
}

/**
 * Two rows for each row of the state features: those of which it is a conjunction, -1 if one has no row; twice its
 * own row for a single feature.
 */
export type FeatureParts = Int32Array;

/** The order of the sentences in passes of an online optimizer. */
export interface PassOrder {
  readonly seed: number;
  /** Whether each pass has a new order. */
  readonly shuffle: boolean;
}

/** The entry of a trainer in the catalogue. */
export interface TrainerComponent<Options> extends Component<Options, TrainerContext, Trainer> {
  /** Whether it does not evaluate the whole objective, so that threads cannot share its work. */
  oneThread?(options: Options): boolean;
  /** Whether it needs scores that are linear in the weights; see `ScorerCapability`. */
  logLinear?(options: Options): boolean;
  /** Names of losses that it supports, for its page; `needs` decides. */
  readonly losses?: readonly string[];
  /** The scorer that only this trainer supports, such as trees, and the only one that it trains. */
  makes?(options: Options): ScorerName | undefined;
  /** Whether it also learns from unlabelled records. Default false. */
  readonly unlabelled?: boolean;
  /** Whether it adds weights one by one, so that the model must not have all of them already. Default false. */
  readonly addsWeights?: boolean;
  /** Whether its iterations have margins, see `Trainer.margin`. Default false. */
  readonly margins?: boolean;
  /** Returns the first training setting that these options cannot be combined with, or undefined. */
  refuses?(options: Options, training: TrainingSettings): SettingRefusal | undefined;
  /**
   * Returns the losses it needs with these options, if the given one is not among them. If absent, any smooth
   * loss will do.
   */
  needs?(options: Options, loss: Loss): string | undefined;
}

/**
 * A batch optimizer with its options, as returned by `lbfgs({ l2: 0.5 })` and accepted by `train` and `createLearner`.
 * A custom one is plain data: `{ kind: 'batch', component, options }`.
 */
export interface BatchOptimizer<Options> {
  readonly kind: 'batch';
  readonly component: TrainerComponent<Options>;
  /** The options as given; defaults are filled in on use. */
  readonly options: Partial<Options>;
}
