import * as z from 'zod';
import { type State, stateNumber } from '../../core/training/state.js';
import type { Ending, Iteration, Trainer } from '../../core/training/trainer.js';
import { requireCapability } from '../../inference/scorers/scorers.js';
import { requireStructure } from '../../inference/structures/structures.js';
import type { Objective } from '../objective.js';
import { onlyLoss, requireFullLabels, requireLoss } from '../requirements.js';
import { stoppingShape, TrainerProgress } from '../stopping/trainer-progress.js';
import type { TrainerComponent } from '../trainer-component.js';
import { norm, savedVector } from '../vectors/vectors.js';
import { BoostingCandidates } from './boosting-candidates.js';

const options = z.strictObject({
  weights: z
    .int()
    .min(1)
    .default(1)
    .describe('maximum number of weights per iteration; their features share no sentence'),
  overlap: z
    .boolean()
    .default(false)
    .describe(
      'let the features of an iteration share sentences; their steps are scaled down to fit',
    ),
  bound: z
    .enum(['mean', 'two-sided'])
    .default('mean')
    .describe(
      'what steps are chosen by: mean: the range of each feature count and its mean (Altun et al. 2003); two-sided: how much it is too large and too small, as in AdaBoost, which falls faster per iteration and takes a second pass',
    ),
  smoothing: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'bound: two-sided: added to what a feature count is too large and too small by, in mean losses of a sentence: shorter steps for rare features',
    ),
  ...stoppingShape,
});

/** Options of `sequenceBoosting`, with their defaults. */
export type SequenceBoostingOptions = z.infer<typeof options>;

/** Growth of the factor on steps that share sentences after a successful step; a failed step halves the factor. */
const growth = 1.2;

const leastFactor = 2 ** -40;

/** Initially assumed maximum difference of statistics, whatever their range. */
const leastReach = { mean: 2, 'two-sided': 1 } as const;

/**
 * Sequence boosting for the sequential exponential loss R(w), with one weight per iteration.
 *
 * With d the difference of feature k between wrong and gold labels of a sentence, l <= d <= U, R_k the loss of the sentences
 * with the feature, and E the mean of d over them under the distribution D(i, y) ~ exp(w . (F(x_i, y) - F(x_i, y_i))),
 *
 *     R_k(w + delta) <= R_k(w) ((U - E) exp(delta l) + (E - l) exp(delta U)) / (U - l)
 *     delta = log(-l (U - E) / (U (E - l))) / (U - l)
 *
 * and the feature with the greatest decrease is chosen. If l or U is 0, the bound has no minimum, and the range is widened to
 * (-U, U) or (l, -l). With `weights` above 1, more features are chosen, each with the greatest decrease among those that
 * share no sentence with earlier ones: decreases add up. With `overlap` they may share sentences, as most features do, and
 * all steps of an iteration are multiplied by one factor, which grows by a fifth after each iteration and is halved until the
 * objective falls. Such a factor exists: if no sentence has the features of more than c steps, 1 / c lowers the bound, by
 * convexity.
 *
 * With `bound: two-sided` the difference at each token is split by sign, as AdaBoost does with predictions of -1, 0 and
 * 1. With P_k the weight of the feature where a wrong sequence has it and the gold one does not, summed over tokens and
 * sequences, N_k that of the reverse, and C the largest sum of its absolute values in a sentence,
 *
 *     R(w + delta) <= R(w) + (P_k (exp(delta C) - 1) + N_k (exp(-delta C) - 1)) / C
 *     delta = log(N_k / P_k) / (2 C),   decrease (sqrt(P_k) - sqrt(N_k))^2 / C
 *
 * by convexity, as the difference is C times a mean of -1, 0 and 1. The gradient is P_k - N_k. Zero differences cost nothing
 * here, whereas with the bound `mean`, a mean near 0 in a wide range costs nearly all of the decrease. In the step,
 * `smoothing` times a sentence's mean loss is added to P_k and N_k, which keeps the weights of features seen once small.
 * Schapire and Singer (1999).
 *
 * A spelling feature may be active at hundreds of a sentence's tokens, and its guaranteed step is then almost 0. So
 * statistics are first assumed to differ by at most 2 (`two-sided`: 1), and by four times as much whenever the objective does
 * not fall, up to their range. The objective falls in every iteration, mostly with one evaluation. This also holds for
 * `BoundedExponential`, which is concave in 1/p: a step that lowers the sum for fixed sentence weights lowers the loss too,
 * and E = gradient / R_k is then only closer to 0 than it could be. There is no penalty: fewer iterations give fewer weights.
 * Altun, Johnson and Hofmann (2003), section 5.2, which uses R instead of R_k.
 */
export class SequenceBoosting implements Trainer {
  readonly name = 'boosting';
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #candidates: BoostingCandidates;
  readonly #most: number;
  readonly #overlap: boolean;
  /** The factor on steps that share sentences. */
  #factor = 1;
  readonly #widest: number;
  /** The assumed maximum difference of statistics. */
  #reach: number;
  readonly #leastReach: number;
  #weights: Float64Array;
  #gradient: Float64Array;

  /** @throws TagstreamError `config` for another loss or a partially labelled sentence */
  constructor(chosen: SequenceBoostingOptions, objective: Objective) {
    requireStructure(objective.parameters.layout, 'single weights', 'the optimizer boosting');
    requireCapability(objective.parameters.layout.scorer, 'log-linear', 'the optimizer boosting');
    requireLoss('the optimizer boosting', objective.loss, 'exponential');
    requireFullLabels('boosting', objective.corpus);
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, chosen);
    this.#candidates = new BoostingCandidates(objective, chosen.bound, chosen.smoothing);
    this.#leastReach = leastReach[chosen.bound];
    this.#reach = this.#leastReach;
    this.#most = chosen.weights;
    this.#overlap = chosen.overlap && chosen.weights > 1;
    this.#widest = this.#candidates.widest;
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    if (Number.isNaN(progress.value)) {
      progress.value = this.#candidates.evaluate(this.#weights, this.#gradient);
    }
    progress.iteration += 1;
    const gradient = new Float64Array(this.#weights.length);
    let weights: Float64Array;
    let value: number;
    for (;;) {
      const steps = this.#candidates.best(this.#gradient, this.#most, this.#reach, this.#overlap);
      if (steps.length === 0) return this.#result('gradient');
      weights = this.#weights.slice();
      for (const { parameter, delta } of steps) weights[parameter]! += this.#factor * delta;
      value = this.#candidates.evaluate(weights, gradient);
      if (value < progress.value) break;
      this.#candidates.evaluate(this.#weights, gradient);
      if (!this.#shorten()) return this.#result('precision');
    }
    this.#reach = Math.max(this.#leastReach, this.#reach / 2);
    if (this.#overlap) this.#factor *= growth;
    this.#weights = weights;
    this.#gradient = gradient;
    progress.value = value;
    return this.#result(progress.ending(norm(gradient), weights));
  }

  /** Shortens the next steps; returns whether that was possible. */
  #shorten(): boolean {
    if (this.#overlap) {
      this.#factor /= 2;
      return this.#factor >= leastFactor;
    }
    if (this.#reach >= this.#widest) return false;
    this.#reach *= 4;
    return true;
  }

  #result(ending: Ending | undefined): Iteration {
    return this.#progress.result(this.#weights, norm(this.#gradient), ending);
  }

  save(): State {
    return {
      json: { ...this.#progress.save(), reach: this.#reach, factor: this.#factor },
      arrays: { weights: this.#weights, gradient: this.#gradient },
    };
  }

  restore(state: State): void {
    this.#weights = savedVector(state, 'weights', this.#weights.length);
    this.#gradient = savedVector(state, 'gradient', this.#weights.length);
    this.#progress.restore(state);
    this.#reach = stateNumber(state, 'reach');
    this.#factor = stateNumber(state, 'factor');
    // The sentences' losses are not part of the state.
    const { evaluations } = this.#objective;
    this.#candidates.evaluate(this.#weights, new Float64Array(this.#weights.length));
    this.#objective.evaluations = evaluations;
  }
}

/** The catalogue entry of `SequenceBoosting`. */
export const sequenceBoosting: TrainerComponent<SequenceBoostingOptions> = {
  name: 'boosting',
  summary: 'sequence boosting for the exponential loss, one weight per iteration',
  options,
  example: 'optimize: { boosting: {} }',
  losses: ['exponential'],
  needs: onlyLoss('exponential'),
  logLinear: () => true,
  create: (chosen, context) => new SequenceBoosting(chosen, context.objective(0)),
};
