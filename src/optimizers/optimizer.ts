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
  /** The data never ends: steps that shrink would learn ever more slowly. Default false. */
  readonly endless?: boolean;
  /** Its weights are mixed with those that others learn from other parts of the data. Default false. */
  readonly mixed?: boolean;
  /**
   * The contribution of a minibatch at the present weights, valid until the next one; for `OptimizerComponent.contributes`.
   * Absent where threads or machines share the sentences.
   */
  contribute?(minibatch: Minibatch): Contribution;
}

/**
 * An online optimizer: updates the parameters from contributions, sentence by sentence.
 *
 * The step size is per sentence and is not divided by the batch size. Lazy state (scales, penalties
 * owed, running sums) stays inside; `deploy` gives the weights that a model should have.
 */
export interface Optimizer extends Stateful {
  readonly name: string;
  /**
   * Before a minibatch is scored: takes note of parameters that are new, and brings up to date what its
   * labelled sentences are scored by. Without a minibatch only the former.
   */
  prepare(minibatch?: Minibatch): void;
  /** Whether weights are brought up to date by `prepare`, which then has to be given all minibatches. */
  readonly lazy?: boolean;
  /** Whether it reads the residuals of contributions; losses need not make any otherwise. Default true. */
  readonly readsResiduals?: boolean;
  /**
   * Whether a sentence of weight h above 1 is to be contributed again for each of as many steps as h rounded up, each of
   * its share of h, so that it counts as h sentences do. Default false: it has one step.
   */
  readonly repeats?: boolean;
  /** Updates the parameters. Cost O(active features * L). */
  apply(contribution: Contribution): void;
  /**
   * The numbers that a stream is tagged by, and an evaluation of it sees, in the place of the weights: an average, of which the
   * rows of a minibatch are brought up to date. Absent, or undefined: the weights. Needs `prepare`. Cost O(active features * L).
   */
  served?(minibatch: Minibatch): Plane | undefined;
  /** Writes the final weights into `target`, rows and blocks as in the parameters; changes nothing here. */
  deploy(target: Plane): void;
  /**
   * Returns what the final model tags with instead of its weights, in separate memory, rounded to float32; undefined
   * before anything was learned. Only where weights vote. Needs `prepare`. Cost O(all weights + their changes).
   */
  voters?(): VotingWeights | undefined;
  /**
   * Charges all that is still owed, and starts its accounts again: weights that are zero then have to be
   * earned like those of new features. Only where weights become zero. Cost O(all weights).
   */
  settle?(): void;
  /**
   * Forgets what it keeps of state features and edge features outside of the planes, which are 0 for them now: their
   * rows go to other features. Absent where it keeps nothing that a weight of 0 does not make harmless.
   */
  forget?(stateRows: Uint32Array, edgeRows: Uint32Array): void;
  /** Rows of state features that it cannot do without, which a growing model never forgets. Absent: none. */
  kept?(): Iterable<number>;
  /**
   * Sentences since the last one that it made a mistake in, unlabelled ones not counted: a whole pass of them ends
   * training. Absent where mistakes are not what it learns from, or training is not to end by itself.
   */
  readonly rightInARow?: number | undefined;
  /** The present step size. */
  readonly stepSize: number;
  /** Its part in parameter mixing; absent if it has no weights to average. */
  readonly mixing?: (() => Mixing) | undefined;
}

/** What parameter mixing asks of an optimizer that makes one pass over a part of a corpus; see `Mixer`. */
export interface Mixing {
  /** Numbers that are sums over sentences, as of squared gradients: they are kept from pass to pass. */
  readonly sums: readonly Plane[];
  /** Sets the clock of its step size: sentences that all parts of the corpus have been learned from. */
  startAt(sentences: number): void;
  /** Writes the weights into `target`: the last ones, not an average of them, with all that is owed charged. */
  present(target: Plane): void;
  /** Sentences in the average that `deploy` gives; 0 where it gives the last weights. */
  averaged(): number;
}

/** The entry of an optimizer in the catalogue. */
export interface OptimizerComponent<Options>
  extends Component<Options, OptimizerContext, Optimizer> {
  /** Names of the losses that it supports; default: all that are not `exclusive`. */
  readonly losses?: readonly string[];
  /**
   * Whether several threads may run it on shared weights without locks, as the mode hogwild does: it keeps nothing of
   * when a weight was last brought up to date. Default false.
   */
  readonly hogwild?: boolean;
  /** Whether only the kernel updates feature weights, so that they can be stored for single pairs. Default false. */
  readonly singlePairs?: boolean;
  /**
   * Returns the options for a run of `passes` passes, if some depend on it; of shards that each learn from a part in a pass, the
   * last pass counts as that part.
   *
   * @throws TagstreamError `config` for an option that has no effect in this number of passes
   */
  forPasses?(options: Options, passes: number): Options;
  /** The scorer whose models it trains, and it no others: that of tables, which are counted. Absent: all with gradients. */
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
  /** Whether it asks for contributions of its own, so that threads and machines cannot share the sentences. Default false. */
  readonly contributes?: boolean;
  /** Whether its weights vote, which excludes thresholds. Default false. */
  readonly votes?: boolean;
}

/** How large the state of an online optimizer is, and how small the models that it leaves. */
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
 * An online optimizer with its options, as `sgd({ eta0: 0.1 })` gives it and `train` and `createLearner` take it. One of
 * your own is plain data: `{ kind: 'online', component, options }`.
 */
export interface OnlineOptimizer<Options> {
  readonly kind: 'online';
  readonly component: OptimizerComponent<Options>;
  /** The options as given; defaults are filled in on use. */
  readonly options: Partial<Options>;
}
