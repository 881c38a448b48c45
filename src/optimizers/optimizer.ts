import type { Component, SettingRefusal, TrainingSettings } from '../core/component.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { ScorerName } from '../core/scorer.js';
import type { Contribution } from '../core/training/contribution.js';
import type { Stateful } from '../core/training/state.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Plane } from '../kernels/memory/plane.js';
import type { ParameterStore, VotingWeights } from '../kernels/store/parameter-store.js';

/** The context of an optimizer. */
export interface OptimizerContext {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  /** N, the sentences of a pass: the penalties of a sentence are 1/N of the whole. */
  readonly corpusSize: number;
  /** Whether the data never ends: shrinking steps would learn ever more slowly. Default false. */
  readonly endless?: boolean;
  /** Whether its weights are mixed with those learned from other parts of the data. Default false. */
  readonly mixed?: boolean;
  /**
   * The contribution of a minibatch at the current weights, valid until the next one; for `OptimizerComponent.contributes`.
   * Absent if threads or machines share the sentences.
   */
  contribute?(minibatch: Minibatch): Contribution;
}

/**
 * An online optimizer: updates the parameters from contributions, sentence by sentence.
 *
 * The step size is per sentence and is not divided by the batch size. Lazy state (scales, owed
 * penalties, running sums) is internal; `deploy` returns the weights for the model.
 */
export interface Optimizer extends Stateful {
  readonly name: string;
  /**
   * Call before scoring a minibatch: registers new parameters, and brings the weights for its labelled
   * sentences up to date. Without a minibatch it only does the former.
   */
  prepare(minibatch?: Minibatch): void;
  /** Whether weights are brought up to date by `prepare`, which must then receive every minibatch. */
  readonly lazy?: boolean;
  /**
   * Whether it reads the residuals of contributions; otherwise losses need not compute any. Default true.
   */
  readonly readsResiduals?: boolean;
  /**
   * Whether a sentence of weight h > 1 gets ceil(h) steps, each with a new contribution and its share of h, so that it
   * counts like h sentences. Default false: one step.
   */
  readonly repeats?: boolean;
  /** Updates the parameters. Cost O(active features * L). */
  apply(contribution: Contribution): void;
  /**
   * The numbers used instead of the weights to tag a stream and to evaluate on it: an average, brought up to date for the rows
   * of a minibatch. Absent, or undefined: the weights. Needs `prepare`. Cost O(active features * L).
   */
  served?(minibatch: Minibatch): Plane | undefined;
  /** Writes the final weights into `target`, rows and blocks as in the parameters; without side effects. */
  deploy(target: Plane): void;
  /**
   * Returns the voters with which the final model tags instead of its weights, in separate memory, rounded to
   * float32; undefined before anything was learned. Only if weights vote. Needs `prepare`. Cost O(all weights +
   * their changes).
   */
  voters?(): VotingWeights | undefined;
  /**
   * Charges everything still owed and resets the accounts: zero weights then start over like those of
   * new features. Only if weights can become zero. Cost O(all weights).
   */
  settle?(): void;
  /**
   * Forgets state that it keeps outside of the planes for these state and edge features, whose rows are 0 and go to
   * other features. Absent if a weight of 0 makes any such state harmless.
   */
  forget?(stateRows: Uint32Array, edgeRows: Uint32Array): void;
  /** Rows of state features that it requires, which a growing model never forgets. Absent: none. */
  kept?(): Iterable<number>;
  /**
   * Labelled sentences since its last mistake; a pass without one ends training. Absent if it never learns from
   * mistakes, or if training must not stop early.
   */
  readonly rightInARow?: number | undefined;
  /** The current step size. */
  readonly stepSize: number;
  /** Its part in parameter mixing; absent if it has no weights to average. */
  readonly mixing?: (() => Mixing) | undefined;
}

/**
 * The interface for parameter mixing of an optimizer that makes one pass over a part of a corpus; see
 * `Mixer`.
 */
export interface Mixing {
  /**
   * Numbers that are sums over sentences, such as squared gradients: they are kept from pass to pass.
   */
  readonly sums: readonly Plane[];
  /**
   * Sets the clock of its step size: the number of sentences learned from in all parts of the corpus.
   */
  startAt(sentences: number): void;
  /** Writes the weights into `target`: the last ones, not their average, with everything owed charged. */
  present(target: Plane): void;
  /** Number of sentences in the average that `deploy` returns; 0 if it returns the last weights. */
  averaged(): number;
}

/** The entry of an optimizer in the catalogue. */
export interface OptimizerComponent<Options>
  extends Component<Options, OptimizerContext, Optimizer> {
  /** Names of the losses that it supports; default: all that are not `exclusive`. */
  readonly losses?: readonly string[];
  /**
   * Whether several threads may run it on shared weights without locks, as in the mode hogwild: it must not track
   * when a weight was last brought up to date. Default false.
   */
  readonly hogwild?: boolean;
  /** Whether only the kernel updates feature weights, so that they can be stored for single pairs. Default false. */
  readonly singlePairs?: boolean;
  /**
   * Returns the options for a run of `passes` passes, if some depend on it; for shards that each learn from a part of the data,
   * the last pass counts as that fraction.
   *
   * @throws TagstreamError `config` for an option that has no effect with this number of passes
   */
  forPasses?(options: Options, passes: number): Options;
  /** The only scorer whose models it trains: tables, for counting. Absent: all with gradients. */
  readonly makes?: ScorerName;
  /** Whether it finishes after one pass over a corpus. Default false. */
  readonly onePass?: boolean;
  /** Whether it also learns from unlabelled records. Default false. */
  readonly unlabelled?: boolean;
  /** Whether it needs fully labelled data, which excludes hidden states. Default false. */
  readonly observed?: boolean;
  /** Returns the first training setting that these options cannot be combined with, or undefined. */
  refuses?(options: Options, training: TrainingSettings): SettingRefusal | undefined;
  /** Whether weights become zero with these options, so that features can be pruned. Absent: never. */
  makesZeros?(options: Options): boolean;
  /** Whether it can start from the weights of another optimizer, with these options. Default true. */
  goesOn?(options: Options): boolean;
  /** Sizes for estimates; without them, estimates omit memory and time. */
  readonly sizes?: OptimizerSizes<Options>;
  /** Whether it requests contributions itself, so that threads and machines cannot share the sentences. Default false. */
  readonly contributes?: boolean;
  /** Whether its weights vote, which excludes thresholds. Default false. */
  readonly votes?: boolean;
}

/** Size of the state of an online optimizer, and of the models that it trains. */
export interface OptimizerSizes<Options> {
  /** Numbers that it keeps per weight in addition to the weight and its average. */
  perWeight(options: Options): number;
  /**
   * Bytes of a feature in a compact model file, measured at a penalty `l2`; at another they grow with
   * (penalty / l2) ** power.
   */
  readonly compact?: { readonly bytes: number; readonly penalty: number; readonly power: number };
}

/**
 * An online optimizer with its options, as returned by `sgd({ eta0: 0.1 })` and accepted by `train` and `createLearner`.
 * A custom one is plain data: `{ kind: 'online', component, options }`.
 */
export interface OnlineOptimizer<Options> {
  readonly kind: 'online';
  readonly component: OptimizerComponent<Options>;
  /** The options as given; defaults are filled in on use. */
  readonly options: Partial<Options>;
}
