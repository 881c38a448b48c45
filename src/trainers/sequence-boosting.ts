import * as z from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { State } from '../core/state.js';
import type { Ending, Iteration, Trainer } from '../core/trainer.js';
import type { Objective } from './objective.js';
import { onlyLoss } from './only-loss.js';
import { savedVector } from './saved-vector.js';
import { type StatisticRanges, statisticRanges } from './statistic-ranges.js';
import { stoppingShape } from './stopping-options.js';
import type { TrainerComponent } from './trainer-component.js';
import { TrainerProgress } from './trainer-progress.js';
import { norm } from './vectors/norm.js';

const options = z.strictObject(stoppingShape);

export type SequenceBoostingOptions = z.infer<typeof options>;

/** How near to an end of its range a mean may be, as a share of the range: steps are finite so. */
const edge = 1e-6;

/**
 * Sequence boosting: one weight an iteration, for the sequential exponential loss R(w).
 *
 * With d the difference of feature k between a wrong and the gold labels of a sentence, l <= d <= U, and
 * E its mean under D(i, y) ~ exp(w . (F(x_i, y) - F(x_i, y_i))),
 *
 *     R(w + delta) <= R(w) ((U - E) exp(delta l) + (E - l) exp(delta U)) / (U - l)
 *     delta = log(-l (U - E) / (U (E - l))) / (U - l)
 *
 * and the feature with the lowest bound is taken. Where l or U is 0 the bound has no minimum, and the
 * range is widened to (-U, U) or (l, -l). The objective falls in every iteration, which is one evaluation.
 * That holds for `boundedExponential` too: it is concave in 1/p, so that a step which lowers the sum with
 * the weights of sentences held lowers it, and E = gradient / R is then only nearer to 0 than it might be.
 * There is no penalty: fewer iterations, fewer weights. Altun, Johnson and Hofmann (2003), section 5.2.
 */
export class SequenceBoosting implements Trainer {
  readonly name = 'boosting';
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #ranges: StatisticRanges;
  #weights: Float64Array;
  #gradient: Float64Array;

  /** @throws TagstreamError `config` with another loss, or a sentence that is labelled in part */
  constructor(chosen: SequenceBoostingOptions, objective: Objective) {
    if (objective.loss.name !== 'exponential') {
      throw new TagstreamError(
        'config',
        `the optimizer boosting does not go with the loss ${objective.loss.name}`,
        { fix: 'use contribute: { loss: exponential }' },
      );
    }
    for (const { labelled, sentenceStarts, gold, sentences } of objective.corpus) {
      const partial = sentences.findIndex(
        (_, s) => labelled[s] === 1 && gold[sentenceStarts[s]!] === -1,
      );
      if (partial >= 0) throw partlyLabelled(sentences[partial]!.sentence.document.id);
    }
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, chosen);
    this.#ranges = statisticRanges(objective);
    this.#weights = objective.weights();
    this.#gradient = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const progress = this.#progress;
    if (Number.isNaN(progress.value)) {
      progress.value = this.#objective.evaluate(this.#weights, this.#gradient);
    }
    progress.iteration += 1;
    const [chosen, delta] = this.#best();
    if (chosen < 0) return this.#result('gradient');
    const weights = this.#weights.slice();
    weights[chosen]! += delta;
    const gradient = new Float64Array(weights.length);
    const value = this.#objective.evaluate(weights, gradient);
    if (!(value < progress.value)) {
      this.#objective.place(this.#weights);
      return this.#result('precision');
    }
    this.#weights = weights;
    this.#gradient = gradient;
    progress.value = value;
    return this.#result(progress.ending(norm(gradient), weights));
  }

  /** The parameter with the lowest bound, and its step; -1 where none promises anything. */
  #best(): [chosen: number, delta: number] {
    let chosen = -1;
    let step = 0;
    let lowest = 1;
    for (let k = 0; k < this.#gradient.length; k += 1) {
      const slope = this.#gradient[k]!;
      if (slope === 0) continue;
      const low = this.#ranges.least[k]!;
      const high = this.#ranges.most[k]!;
      const least = low < 0 ? low : -high;
      const most = high > 0 ? high : -low;
      const width = most - least;
      const mean = slope / this.#progress.value;
      const inside = Math.min(most - edge * width, Math.max(least + edge * width, mean));
      const delta = Math.log((-least * (most - inside)) / (most * (inside - least))) / width;
      const bound =
        ((most - inside) * Math.exp(delta * least) + (inside - least) * Math.exp(delta * most)) /
        width;
      if (bound >= lowest) continue;
      lowest = bound;
      chosen = k;
      step = delta;
    }
    return [chosen, step];
  }

  #result(ending: Ending | undefined): Iteration {
    return this.#progress.result(this.#weights, norm(this.#gradient), ending);
  }

  save(): State {
    return {
      json: this.#progress.save(),
      arrays: { weights: this.#weights, gradient: this.#gradient },
    };
  }

  restore(state: State): void {
    this.#weights = savedVector(state, 'weights', this.#weights.length);
    this.#gradient = savedVector(state, 'gradient', this.#weights.length);
    this.#progress.restore(state);
    this.#objective.place(this.#weights);
  }
}

function partlyLabelled(id: unknown): TagstreamError {
  const record = id === undefined ? 'a sentence' : `record ${id}`;
  return new TagstreamError('config', `${record} is labelled in part, which boosting cannot use`, {
    fix: 'leave such records out, or use another optimizer',
  });
}

/** `SequenceBoosting` as pipeline files name it. */
export const sequenceBoosting: TrainerComponent<SequenceBoostingOptions> = {
  name: 'boosting',
  summary: 'sequence boosting for the exponential loss, one weight an iteration',
  options,
  example: 'optimize: { boosting: {} }',
  needs: onlyLoss('exponential'),
  create: (chosen, context) => new SequenceBoosting(chosen, context.objective(0)),
};
