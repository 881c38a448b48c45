import type { State } from '../../core/training/state.js';
import type { Iteration, Trainer } from '../../core/training/trainer.js';
import type { Objective } from '../objective.js';
import { requireLogLoss } from '../require-log-loss.js';
import type { StoppingOptions } from '../stopping/stopping-rule.js';
import { TrainerProgress } from '../stopping/trainer-progress.js';
import { dot } from '../vectors/dot.js';
import { norm } from '../vectors/norm.js';
import { savedVector } from '../vectors/saved-vector.js';
import { expectedLoss } from './expected-loss.js';
import { FeatureCounts } from './feature-counts.js';
import { observedLoss } from './observed-loss.js';
import { type ScalingGroup, scalingGroups } from './scaling-groups.js';
import { scalingStep } from './scaling-step.js';

/**
 * Moves each weight so far that what the model expects of its feature comes to what is observed, under a
 * bound that makes the weights independent of each other; see `scalingStep`. The objective never rises.
 *
 * The bound is as tight as the groups of sentences are alike in their total of features. It holds where
 * features sum to less, so that there is no slack feature: Curran and Clark (2003). L2 as in Chen and
 * Rosenfeld (1999). Memory: a vector of weights for each group.
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
  /** Where we were before the last step, where the objective of the progress is from. */
  #before: Float64Array;

  /**
   * @param groups most totals of features to distinguish
   * @throws TagstreamError `config` for data and losses that it cannot handle
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
      // What the step has gained is less than what rounding makes of the sum.
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

  /** The objective and its gradient where we are; leaves the expected counts by group. */
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
