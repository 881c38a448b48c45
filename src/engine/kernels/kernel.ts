import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import type { CompactPlane } from './compact/compact-store.js';
import type { Lattice } from './lattice.js';
import type { Plane } from './memory/plane.js';
import type { Pruning } from './pruning/candidates.js';
import type { AdaptiveSteps } from './rows/adaptive-steps.js';
import type { AveragedRows } from './rows/averaged-rows.js';
import type { CreationTimes } from './store/creation-times.js';
import type { ParameterStore } from './store/parameter-store.js';

/** Accounts of the penalties owed by lazily penalised parameters, see `Kernel.applyCumulativePenalty`. */
export interface PenaltyState {
  /** q, the signed penalty that each weight has received so far. */
  readonly received: Plane;
  /** u, the penalty that every weight could have received since the start. */
  readonly total: number;
  /** The value of u at the creation of each row, block, pair and label; a weight owes only later penalties. */
  readonly creationTimes: CreationTimes;
}

/**
 * The numeric core: all loops over labels, and nothing else. Implementations differ in speed and precision, never in
 * meaning; higher layers call only this interface.
 *
 * Sentences have T tokens, L labels; rows have `width` lanes. `s` is a sentence of the lattice's batch.
 */
export interface Kernel {
  readonly name: string;
  readonly precision: 'float64' | 'float32';
  /** Whether threads and machines, each with the same kernel, can share its work. Default false. */
  readonly canShare?: boolean;

  /**
   * Fills `emissionScores`, `transitionScores` and `edgeScores` for the whole batch. e_t(y) = scale * sum over active f of
   * value(f, t) * w[f][y]. Cost O(active features * L + L^2). State weights are the store's compressed rows if it has
   * them.
   */
  score(store: ParameterStore, lattice: Lattice): void;

  /**
   * Prunes the token labels of a scored lattice according to `pruning`, keeping the gold label in training (`keepsGold`);
   * see `Candidates`. `score` calls it if labels correspond to the store's columns. Cost O(T L).
   */
  prune(lattice: Lattice, pruning: Pruning): void;

  /** Fills the exponentials that `forwardBackwardScaled` needs, with the maxima subtracted. */
  exponentiate(lattice: Lattice): void;

  /**
   * Runs scaled forward-backward: computes node marginals, and edge marginals by slot and summed by sentence. Returns log
   * Z, or NaN if scaling would underflow and log space is needed (the results are then invalid). Needs `exponentiate`.
   * Cost O(T L^2).
   */
  forwardBackwardScaled(lattice: Lattice, s: number): number;

  /** Runs forward-backward in log space, for any finite scores; minus infinity forbids a label or transition. */
  forwardBackwardLog(lattice: Lattice, s: number): number;

  /**
   * Writes the sentence's best labels to `labels`, at its tokens' places; returns their score. Leaves the best score of
   * each label at each token in `alpha`.
   */
  viterbi(lattice: Lattice, s: number, labels: Int32Array): number;

  /**
   * Writes the best labels of all sentences in the batch, as with `viterbi`. Returns the first sentence whose best score
   * is not finite, or the number of sentences. Absent if each sentence needs its own call.
   */
  viterbiAll?(lattice: Lattice, labels: Int32Array): number;

  /** Returns the score of a label sequence, read at the tokens' places. */
  pathScore(lattice: Lattice, s: number, labels: Int32Array): number;

  /**
   * Computes plane += factor * gradient of sentence `s`: adds factor * value(f, t) * residual[t] for every active feature
   * f, and likewise for transitions and edge features. Only supported parameters change, unless `everywhere` is set, which
   * is faster and meant for planes whose unsupported numbers are never read.
   */
  accumulate(
    store: ParameterStore,
    plane: Plane,
    contribution: Contribution,
    s: number,
    factor: number,
    everywhere?: boolean,
  ): void;

  /**
   * Computes plane += gradient of sentence `s`, for a compact store and one of its planes, in float64. Cost O(supported
   * pairs of active features).
   */
  accumulateCompressed(
    store: ParameterStore,
    plane: CompactPlane,
    contribution: Contribution,
    s: number,
  ): void;

  /** Computes plane *= factor. */
  scalePlane(plane: Plane, factor: number): void;

  /** Computes y += factor * x over all parameters of two planes of one store. */
  axpy(factor: number, x: Plane, y: Plane): void;

  /** Clips the weights of the features in sentence `s` towards 0 by the penalty they owe. */
  applyCumulativePenalty(
    store: ParameterStore,
    penalty: PenaltyState,
    contribution: Contribution,
    s: number,
  ): void;

  /**
   * Brings the weights of the features in sentence `s` up to date with the penalties of `steps.sentences` sentences:
   * charges them for the sentences without the feature. Cost O(active features * L + L^2).
   */
  chargeAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    minibatch: Minibatch,
    s: number,
  ): void;

  /**
   * Makes the composite step of sentence `s`, see `CompositePenalty`, for the weights of its features; each weight's
   * gradient is summed over the tokens before it is squared. Rows are charged first. Same cost as `chargeAdaptively`.
   */
  stepAdaptively(
    store: ParameterStore,
    steps: AdaptiveSteps,
    contribution: Contribution,
    s: number,
  ): void;

  /**
   * Charges a copy of the weights, in this or another memory, for the penalties that its rows still owe. Cost O(all
   * weights).
   */
  chargeCopy(steps: AdaptiveSteps, copy: Plane): void;

  /**
   * Brings rows of exponential averages up to date with the sentences they missed:
   *
   *     a <- m + f (a - m),  m = scale * w,  f = max(0, kept * gain - loss)
   *
   * with the gain and loss of the row or of the label, whichever was created later: see `gainOf`. Cost O(rows * L).
   */
  averageRows(store: ParameterStore, averages: Plane, rows: AveragedRows): void;
}

/**
 * A kernel with its own sums and best sequences, in float64 whatever the lattice's precision, which delegates everything
 * else to another kernel. Losses and decoders need not know the structure.
 */
export abstract class InferenceKernel implements Kernel {
  abstract readonly name: string;
  readonly precision = 'float64';
  readonly exponentiate: Kernel['exponentiate'];
  readonly score: Kernel['score'];
  readonly prune: Kernel['prune'];
  readonly accumulate: Kernel['accumulate'];
  readonly accumulateCompressed: Kernel['accumulateCompressed'];
  readonly scalePlane: Kernel['scalePlane'];
  readonly axpy: Kernel['axpy'];
  readonly applyCumulativePenalty: Kernel['applyCumulativePenalty'];
  readonly chargeAdaptively: Kernel['chargeAdaptively'];
  readonly stepAdaptively: Kernel['stepAdaptively'];
  readonly chargeCopy: Kernel['chargeCopy'];
  readonly averageRows: Kernel['averageRows'];

  constructor(base: Kernel) {
    this.exponentiate = base.exponentiate.bind(base);
    this.score = base.score.bind(base);
    this.prune = base.prune.bind(base);
    this.accumulate = base.accumulate.bind(base);
    this.accumulateCompressed = base.accumulateCompressed.bind(base);
    this.scalePlane = base.scalePlane.bind(base);
    this.axpy = base.axpy.bind(base);
    this.applyCumulativePenalty = base.applyCumulativePenalty.bind(base);
    this.chargeAdaptively = base.chargeAdaptively.bind(base);
    this.stepAdaptively = base.stepAdaptively.bind(base);
    this.chargeCopy = base.chargeCopy.bind(base);
    this.averageRows = base.averageRows.bind(base);
  }

  abstract forwardBackwardScaled(lattice: Lattice, s: number): number;
  abstract forwardBackwardLog(lattice: Lattice, s: number): number;
  abstract viterbi(lattice: Lattice, s: number, labels: Int32Array): number;
  abstract pathScore(lattice: Lattice, s: number, path: Int32Array): number;
}

/** Returns a function that creates one kernel per wrapped kernel. */
export function onceForEach<Own extends Kernel>(
  make: (base: Kernel) => Own,
): (base: Kernel) => Own {
  const known = new WeakMap<Kernel, Own>();
  return base => {
    const own = known.get(base) ?? make(base);
    known.set(base, own);
    return own;
  };
}
