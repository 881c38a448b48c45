import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import { clearPlane, type Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { addPath, clearResiduals } from '../../losses/residuals/residuals.js';
import type { Objective } from '../objective.js';
import { requireLogLoss } from '../requirements.js';
import { type StoppingOptions, TrainerProgress } from '../stopping/trainer-progress.js';
import { dot, norm, savedVector } from '../vectors/vectors.js';

/** Sentences in which no label sequence has more than `total` features. */
interface ScalingGroup {
  readonly total: number;
  readonly minibatches: readonly Minibatch[];
}

const atOnce = 32;

/**
 * Divides the labelled sentences of a corpus into at most `most` groups of similar totals
 *
 *     f#(x) = sum of the values of all features active in x, whatever the labels,
 *
 * lowest first. If only observed features have weights, f# is an upper bound.
 *
 * @throws TagstreamError `config` for negative values or partially labelled sentences, which iterative
 * scaling cannot handle
 */
export function scalingGroups(
  corpus: readonly Minibatch[],
  parameters: ParameterStore,
  most: number,
): ScalingGroup[] {
  const found: { sentence: EncodedSentence; total: number }[] = [];
  for (const minibatch of corpus) {
    for (const [s, sentence] of minibatch.sentences.entries()) {
      if (minibatch.labelled[s] === 1)
        found.push({ sentence, total: totalOf(sentence, parameters) });
    }
  }
  found.sort((a, b) => a.total - b.total);
  const distinct = new Set(found.map(({ total }) => total)).size;
  const groups: ScalingGroup[] = [];
  const each = Math.ceil(found.length / most);
  for (let first = 0; first < found.length; ) {
    let end = distinct <= most ? first + 1 : Math.min(first + each, found.length);
    while (end < found.length && found[end]!.total === found[end - 1]!.total) end += 1;
    const sentences = found.slice(first, end).map(({ sentence }) => sentence);
    const minibatches: Minibatch[] = [];
    for (let i = 0; i < sentences.length; i += atOnce) {
      minibatches.push(packMinibatch(sentences.slice(i, i + atOnce)));
    }
    groups.push({ total: found[end - 1]!.total, minibatches });
    first = end;
  }
  return groups;
}

function totalOf(sentence: EncodedSentence, { layout }: ParameterStore): number {
  if (sentence.allowed !== undefined) {
    throw new TagstreamError(
      'config',
      'iterative scaling does not support partially labelled sentences',
      { fix: 'use lbfgs, owl-qn or bcd, or omit such sentences' },
    );
  }
  const { length, stateStarts, stateValues, edgeStarts, edgeValues } = sentence;
  let total = sum(stateStarts[length]!, stateValues, 0);
  if (layout.transitions) total += length - 1;
  if (edgeStarts !== undefined) total += sum(edgeStarts[length]!, edgeValues, edgeStarts[1] ?? 0);
  return total;
}

function sum(end: number, values: Float64Array | undefined, from: number): number {
  if (values === undefined) return end - from;
  let total = 0;
  for (let i = from; i < end; i += 1) {
    const value = values[i]!;
    if (value < 0) {
      throw new TagstreamError(
        'config',
        `iterative scaling does not support the negative feature value ${value}`,
        {
          fix: 'use another trainer, or shift the column so that all its values are at least 0',
        },
      );
    }
    total += value;
  }
  return total;
}

/** Sums each feature's occurrences, weighted by the tables that a loss leaves. */
class FeatureCounts {
  readonly #objective: Objective;
  readonly #plane: Plane;

  constructor(objective: Objective) {
    this.#objective = objective;
    this.#plane = objective.parameters.addPlane();
  }

  /**
   * Returns the summed loss of some minibatches, and writes the count for each free parameter to
   * `into`.
   */
  sum(minibatches: readonly Minibatch[], loss: Loss, into: Float64Array): number {
    const { kernel, parameters, free } = this.#objective;
    const plane = this.#plane;
    clearPlane(plane);
    let value = 0;
    for (const minibatch of minibatches) {
      const contribution = this.#objective.contribute(minibatch, loss);
      value += contribution.loss;
      for (let s = 0; s < minibatch.sentences.length; s += 1) {
        if (minibatch.labelled[s] === 0) continue;
        kernel.accumulate(parameters, plane, contribution, s, 1, true);
      }
    }
    free.gather(plane, into);
    return value;
  }
}

/**
 * Moves each weight so that the expectation of its feature matches the observation, using a bound that
 * decouples the weights; see `scalingStep`. The objective never rises.
 *
 * The more similar the feature totals within a group of sentences, the tighter the bound. It also holds
 * for smaller totals, so no slack feature is needed: Curran and Clark (2003). L2 as in Chen and
 * Rosenfeld (1999). Memory: a vector of weights per group.
 */
export class IterativeScaling implements Trainer {
  readonly name: string;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #counts: FeatureCounts;
  readonly #groups: readonly ScalingGroup[];
  readonly #expected: readonly Float64Array[];
  readonly #observed: Float64Array;
  #weights: Float64Array;
  /** The weights before the last step, at which the reported objective was computed. */
  #before: Float64Array;

  /**
   * @param groups maximum number of groups
   * @throws TagstreamError `config` for data or losses that iterative scaling cannot handle
   */
  constructor(name: string, options: StoppingOptions, objective: Objective, groups: number) {
    requireLogLoss(name, objective);
    this.name = name;
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, options);
    this.#counts = new FeatureCounts(objective);
    this.#groups = scalingGroups(objective.corpus, objective.parameters, groups);
    this.#weights = objective.weights();
    this.#before = this.#weights.slice();
    this.#expected = this.#groups.map(() => new Float64Array(this.#weights.length));
    this.#observed = new Float64Array(this.#weights.length);
    this.#counts.sum(objective.corpus, observedLoss, this.#observed);
  }

  iterate(): Iteration {
    const weights = this.#weights;
    const gradient = new Float64Array(weights.length);
    const value = this.#evaluate(gradient);
    const length = norm(gradient);
    const progress = this.#progress;
    progress.iteration += 1;
    if (value > progress.value) {
      // The step gained less than the rounding error of the sum.
      this.#weights = this.#before;
      this.#objective.place(this.#weights);
      return progress.result(this.#weights, length, 'precision');
    }
    progress.value = value;
    const ending = progress.ending(length, weights);
    const result = progress.result(weights, length, ending);
    if (ending === undefined) this.#move();
    return result;
  }

  /**
   * Computes the objective and its gradient at the current weights; leaves the expected counts by
   * group.
   */
  #evaluate(gradient: Float64Array): number {
    const { l2 } = this.#objective;
    const weights = this.#weights;
    this.#objective.evaluations += 1;
    let value = 0;
    for (const [g, { minibatches }] of this.#groups.entries()) {
      value += this.#counts.sum(minibatches, expectedLoss, this.#expected[g]!);
    }
    for (let k = 0; k < gradient.length; k += 1) {
      let slope = 2 * l2 * weights[k]! - this.#observed[k]!;
      for (const counts of this.#expected) slope += counts[k]!;
      gradient[k] = slope;
    }
    return value + l2 * dot(weights, weights);
  }

  #move(): void {
    const input = {
      expected: this.#expected,
      totals: this.#groups.map(({ total }) => total),
      observed: this.#observed,
      weights: this.#weights,
      l2: this.#objective.l2,
    };
    this.#before = this.#weights;
    this.#weights = this.#before.map((weight, k) => weight + scalingStep(input, k));
    this.#objective.place(this.#weights);
  }

  save(): State {
    return {
      json: this.#progress.save(),
      arrays: { weights: this.#weights, before: this.#before },
    };
  }

  restore(state: State): void {
    this.#weights = savedVector(state, 'weights', this.#weights.length);
    this.#before = savedVector(state, 'before', this.#weights.length);
    this.#progress.restore(state);
    this.#objective.place(this.#weights);
  }
}

/** The log loss, leaving marginals instead of residuals; for fully labelled sentences. */
const expectedLoss: Loss = {
  ...logLoss,
  apply(kernel, lattice, s, gold, predicted) {
    const loss = logLoss.apply(kernel, lattice, s, gold, predicted);
    addPath(lattice, s, gold, 1);
    return loss;
  },
};

/** A zero loss that leaves the gold labels instead of residuals. */
const observedLoss: Loss = {
  ...logLoss,
  apply(_kernel, lattice, s, gold) {
    clearResiduals(lattice, s);
    addPath(lattice, s, gold, 1);
    return 0;
  },
};

/** The inputs of a step: the expected counts in each group, and the observed counts. */
interface ScalingInput {
  /** Expected counts by group. */
  readonly expected: readonly Float64Array[];
  /** Totals by group. */
  readonly totals: readonly number[];
  readonly observed: Float64Array;
  readonly weights: Float64Array;
  readonly l2: number;
}

/**
 * Maximum move in one step: without L2, the weight of a feature that never occurs would grow forever.
 */
const mostMove = 2;
const mostRounds = 100;

/**
 * Returns the step d of weight k that solves
 *
 *     sum over groups g of E_g[k] exp(T_g d) + 2 l2 (w_k + d) = observed_k
 *
 * by Newton's method from above, which is safe because the left side is convex and increasing. With
 * one group and no L2 it is log(observed_k / E[k]) / T.
 */
export function scalingStep(input: ScalingInput, k: number): number {
  const { expected, totals, observed, weights, l2 } = input;
  const aim = observed[k]! - 2 * l2 * weights[k]!;
  let start = 0;
  let sum = 0;
  for (const counts of expected) sum += counts[k]!;
  if (sum < aim) {
    start = mostMove;
    for (let g = 0; g < totals.length; g += 1) {
      const count = expected[g]![k]!;
      if (count > 0 && totals[g]! > 0) start = Math.min(start, Math.log(aim / count) / totals[g]!);
    }
  }
  let step = start;
  for (let round = 0; round < mostRounds; round += 1) {
    let excess = 2 * l2 * step - aim;
    let slope = 2 * l2;
    for (let g = 0; g < totals.length; g += 1) {
      const count = expected[g]![k]! * Math.exp(totals[g]! * step);
      excess += count;
      slope += totals[g]! * count;
    }
    // Negative only through rounding, or at the maximum step.
    if (excess <= 0 || slope === 0) break;
    const next = Math.max(step - excess / slope, -mostMove);
    if (!(next < step)) break;
    step = next;
  }
  return step;
}
