import type { Component, Penalties, SettingRefusal, TrainingSettings } from '../core/component.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { ScorerName } from '../core/scorer.js';
import type { Contribution } from '../core/training/contribution.js';
import type { Stateful } from '../core/training/state.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Plane } from '../kernels/memory/plane.js';
import type { ParameterStore, VotingWeights } from '../kernels/store/parameter-store.js';

/** The context in which an optimizer is created. */
export interface OptimizerContext {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  /** N, the number of sentences per pass: each sentence is charged 1/N of the penalties. */
  readonly corpusSize: number;
  /** Whether the data never ends: shrinking steps would learn ever more slowly. Default false. */
  readonly endless?: boolean;
  /** Whether the weights are mixed with weights learned from other parts of the data. Default false. */
  readonly mixed?: boolean;
  /**
   * Returns a minibatch's contribution at the current weights, valid until the next call; for
   * `OptimizerComponent.contributes`. Absent if threads or machines share the sentences.
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
   * Registers new parameters and brings the weights of a minibatch's labelled sentences up to date; call before scoring.
   * Without a minibatch it only registers parameters.
   */
  prepare(minibatch?: Minibatch): void;
  /** Whether weights are brought up to date by `prepare`, which must then receive every minibatch. */
  readonly lazy?: boolean;
  /**
   * Whether it reads the residuals of contributions; otherwise losses need not compute any. Default true.
   */
  readonly readsResiduals?: boolean;
  /**
   * Whether a sentence of weight h > 1 gets ceil(h) steps, each with a new contribution and a share of h, so that it counts
   * as h sentences. Default false: one step.
   */
  readonly repeats?: boolean;
  /** Updates the parameters. Cost O(active features * L). */
  apply(contribution: Contribution): void;
  /**
   * Returns the numbers that replace the weights when a stream is tagged or evaluated: an average, brought up to date for the
   * rows of a minibatch. If absent or undefined, the weights are used. Needs `prepare`. Cost O(active features * L).
   */
  served?(minibatch: Minibatch): Plane | undefined;
  /** Writes the final weights into `target`, with the rows and blocks of the parameters; has no side effects. */
  deploy(target: Plane): void;
  /**
   * Returns a copy of the voters that replace the weights in the final model, rounded to float32; undefined before anything
   * was learned. Only if weights vote. Needs `prepare`. Cost O(all weights + their changes).
   */
  voters?(): VotingWeights | undefined;
  /**
   * Charges all owed penalties and resets the accounts: zero weights then start over like new features. Only if weights can
   * become zero. Cost O(all weights).
   */
  settle?(): void;
  /**
   * Forgets the state kept outside the planes for these state and edge features, whose rows are 0 and will be reused. Absent
   * if such state is harmless for a weight of 0.
   */
  forget?(stateRows: Uint32Array, edgeRows: Uint32Array): void;
  /** Returns the rows of required state features, which a growing model never forgets. Absent: none. */
  kept?(): Iterable<number>;
  /**
   * Number of labelled sentences since the last mistake; a pass without mistakes ends training. Absent if the optimizer does
   * not learn from mistakes, or if training must not stop early.
   */
  readonly rightInARow?: number | undefined;
  /** The current step size. */
  readonly stepSize: number;
  /** Returns the interface for parameter mixing; absent if there are no weights to average. */
  readonly mixing?: (() => Mixing) | undefined;
}

/**
 * The parameter-mixing interface of an optimizer that makes one pass over a part of a corpus; see `Mixer`.
 */
export interface Mixing {
  /**
   * Planes of sums over sentences, such as squared gradients, which are kept from pass to pass.
   */
  readonly sums: readonly Plane[];
  /**
   * Sets the clock of the step size: the number of sentences learned from in all parts of the corpus.
   */
  startAt(sentences: number): void;
  /** Writes the last weights, not their average, into `target`, with all owed penalties charged. */
  present(target: Plane): void;
  /** Number of sentences in the average that `deploy` returns; 0 if it returns the last weights. */
  averaged(): number;
}

/** The catalogue entry of an optimizer. */
export interface OptimizerComponent<Options>
  extends Component<Options, OptimizerContext, Optimizer> {
  /** Names of the supported losses; default: all that are not `exclusive`. */
  readonly losses?: readonly string[];
  /**
   * Whether several threads may run it on shared weights without locks (mode hogwild); if so, it must not track when a weight
   * was last brought up to date. Default false.
   */
  readonly hogwild?: boolean;
  /** Whether only the kernel updates feature weights, so that they can be stored for single pairs. Default false. */
  readonly singlePairs?: boolean;
  /**
   * Returns the options for a run of `passes` passes, if some depend on that number; it is fractional for shards, each of
   * which learns from a part of the data.
   *
   * @throws TagstreamError `config` for an option that has no effect with this number of passes
   */
  forPasses?(options: Options, passes: number): Options;
  /** Name of the only scorer whose models it trains, the tables for counting. Absent: all scorers with gradients. */
  readonly makes?: ScorerName;
  /** Whether it finishes after one pass over a corpus. Default false. */
  readonly onePass?: boolean;
  /** Whether it also learns from unlabelled records. Default false. */
  readonly unlabelled?: boolean;
  /** Whether it needs fully labelled data, which excludes hidden states. Default false. */
  readonly observed?: boolean;
  /** Returns the first training setting that cannot be combined with these options, or undefined. */
  refuses?(options: Options, training: TrainingSettings): SettingRefusal | undefined;
  /** Returns the penalties that these options add to the losses of the corpus. Absent: none. */
  penalty?(options: Options): Penalties;
  /** Returns whether weights become zero with these options, so that features can be pruned. Absent: never. */
  makesZeros?(options: Options): boolean;
  /** Returns whether it can start from another optimizer's weights with these options. Default true. */
  goesOn?(options: Options): boolean;
  /** Sizes for estimates; without them, estimates omit memory and time. */
  readonly sizes?: OptimizerSizes<Options>;
  /** Whether it requests contributions itself, so that threads and machines cannot share the sentences. Default false. */
  readonly contributes?: boolean;
  /** Whether its weights vote, which excludes thresholds. Default false. */
  readonly votes?: boolean;
}

/** Sizes of an online optimizer's state and of the models it trains. */
export interface OptimizerSizes<Options> {
  /** Returns how many numbers are kept per weight in addition to the weight and its average. */
  perWeight(options: Options): number;
  /**
   * Bytes per feature in a compact model file, measured at a given `penalty`; at another l2 they grow by (penalty / l2) **
   * power, unless weights are averaged.
   */
  readonly compact?: { readonly bytes: number; readonly penalty: number; readonly power: number };
}

/**
 * An online optimizer with its options, as returned by `sgd({ eta0: 0.1 })` and accepted by `train` and `createLearner`. A
 * custom optimizer is plain data: `{ kind: 'online', component, options }`.
 */
export interface OnlineOptimizer<Options> {
  readonly kind: 'online';
  readonly component: OptimizerComponent<Options>;
  /** The options as given; defaults are filled in on use. */
  readonly options: Partial<Options>;
}
