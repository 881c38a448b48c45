import * as z from 'zod';
import { type State, stateCount } from '../core/training/state.js';
import type { Iteration, PassMargin, Trainer } from '../core/training/trainer.js';
import type { Plane } from '../kernels/memory/plane.js';
import { Margins } from '../optimizers/margins.js';
import { wrongTokens } from '../optimizers/wrong-tokens.js';
import type { Objective } from './objective.js';
import { onlyLoss } from './requirements.js';
import { TrainerProgress } from './stopping/trainer-progress.js';
import type { TrainerComponent } from './trainer-component.js';
import { norm, savedVector } from './vectors/vectors.js';

const options = z.strictObject({
  update: z
    .enum(['sum', 'mean'])
    .default('sum')
    .describe('what is added after a pass: the sum of the updates of its mistakes, or their mean'),
  average: z.boolean().default(true).describe('deploy the average of the weights after each pass'),
});

/** Options of `batchPerceptron`, with their defaults. */
export type BatchPerceptronOptions = z.infer<typeof options>;

/**
 * The batch structured perceptron: the best labels of all sentences are found at the same weights, and
 *
 *     sum:   w <- w + sum over wrong i of (F(gold_i) - F(best_i))
 *     mean:  the same, divided by the number of wrong sentences
 *
 * is the step of a pass. `sum` is the batch version by Altun, Johnson and Hofmann (2003), section 5.1: the gradient of
 * the log loss with the best labels instead of the expectation. `mean` is the scheme in Gupta's report, section 2.2:
 * "all the updates are collected and their unweighted average is applied". A sentence of weight m counts m times in its
 * update.
 *
 * Training ends with a pass without mistakes: `separated`. The objective is the summed perceptron loss at the weights
 * before the step, `gradientNorm` the norm of the summed updates. Cost of an iteration: Viterbi over the corpus, O(T
 * L^2) for each sentence. With `average`, the mean of the weights after each pass is deployed, which oscillates less.
 */
export class BatchPerceptron implements Trainer {
  readonly name = 'batch-perceptron';
  readonly #options: BatchPerceptronOptions;
  readonly #objective: Objective;
  readonly #progress: TrainerProgress;
  readonly #updates: Plane;
  #weights: Float64Array;
  /** Sum of the weights after each pass. */
  #sums: Float64Array;
  #passes = 0;
  margin: PassMargin | undefined;

  /** @param objective an objective with the perceptron loss and no penalty */
  constructor(chosen: BatchPerceptronOptions, objective: Objective) {
    this.#options = chosen;
    this.#objective = objective;
    this.#progress = new TrainerProgress(objective, { tolerance: 0, decrease: 0, period: 1 });
    this.#updates = objective.parameters.addPlane();
    this.#weights = objective.weights();
    this.#sums = new Float64Array(this.#weights.length);
  }

  iterate(): Iteration {
    const objective = this.#objective;
    const progress = this.#progress;
    const weights = this.#weights;
    objective.place(weights);
    progress.iteration += 1;
    const wrong = this.#collect();
    const gradient = new Float64Array(weights.length);
    objective.free.gather(this.#updates, gradient);
    const factor = wrong > 0 && this.#options.update === 'mean' ? 1 / wrong : 1;
    for (let i = 0; i < weights.length; i += 1) {
      weights[i]! -= factor * gradient[i]!;
      this.#sums[i]! += weights[i]!;
    }
    this.#passes += 1;
    const deployed = this.#deployed();
    objective.place(deployed);
    return progress.result(deployed, norm(gradient), wrong === 0 ? 'separated' : undefined);
  }

  /** Sums the residuals of a pass in the plane of updates; returns the number of wrong sentences. */
  #collect(): number {
    const objective = this.#objective;
    const { kernel, parameters } = objective;
    kernel.scalePlane(this.#updates, 0);
    objective.evaluations += 1;
    const margins = Margins.of(objective.loss);
    let wrong = 0;
    let loss = 0;
    for (const minibatch of objective.corpus) {
      const made = objective.contribute(minibatch);
      loss += made.loss;
      for (let s = 0; s < minibatch.labelled.length; s += 1) {
        if (minibatch.labelled[s] === 0 || wrongTokens(made, s) === 0) continue;
        wrong += 1;
        kernel.accumulate(parameters, this.#updates, made, s, 1);
      }
      margins?.note(made);
    }
    this.margin = margins?.sums;
    this.#progress.value = loss;
    return wrong;
  }

  #deployed(): Float64Array {
    if (!this.#options.average) return this.#weights;
    return this.#sums.map(sum => sum / this.#passes);
  }

  save(): State {
    return {
      json: { ...this.#progress.save(), passes: this.#passes },
      arrays: { weights: this.#weights, sums: this.#sums },
    };
  }

  restore(state: State): void {
    const { length } = this.#weights;
    this.#weights = savedVector(state, 'weights', length);
    this.#sums = savedVector(state, 'sums', length);
    this.#passes = stateCount(state, 'passes');
    this.#progress.restore(state);
    this.#objective.place(this.#passes === 0 ? this.#weights : this.#deployed());
  }
}

/** The catalogue entry of `BatchPerceptron`. */
export const batchPerceptron: TrainerComponent<BatchPerceptronOptions> = {
  name: 'batch-perceptron',
  summary: 'the structured perceptron with one update per pass, the sum or mean of its mistakes',
  options,
  example: 'optimize: { batch-perceptron: { update: mean } }',
  losses: ['perceptron'],
  needs: onlyLoss('perceptron'),
  oneThread: () => true,
  margins: true,
  create: (chosen, context) => new BatchPerceptron(chosen, context.objective(0)),
};
