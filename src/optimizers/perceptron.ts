import * as z from 'zod';
import type { Contribution } from '../core/contribution.js';
import type { State } from '../core/state.js';
import type { Plane } from '../kernels/plane.js';
import { Averaging } from './averaging.js';
import { deployAverage } from './deploy-average.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { wrongTokens } from './wrong-tokens.js';

const options = z.strictObject({
  average: z.boolean().default(true).describe('deploy the average of the weights'),
});

export type PerceptronOptions = z.infer<typeof options>;

/**
 * The averaged structured perceptron: w += F(gold) - F(best) after each sentence that is wrong, and
 * the average of w over all sentences is deployed. To be used with the perceptron loss. Collins (2002).
 */
export class Perceptron implements Optimizer {
  readonly name = 'perceptron';
  readonly stepSize = 1;
  readonly #context: OptimizerContext;
  readonly #averaging: Averaging | undefined;

  constructor(chosen: PerceptronOptions, context: OptimizerContext) {
    this.#context = context;
    this.#averaging = chosen.average ? new Averaging(context.parameters) : undefined;
  }

  prepare(): void {
    this.#averaging?.prepare(this.#context.parameters);
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const factor = wrongTokens(contribution, s) > 0 ? -1 : 0;
      if (factor !== 0) kernel.accumulate(parameters, parameters.weights, contribution, s, factor);
      this.#averaging?.follow(kernel, parameters, contribution, s, factor);
    }
    parameters.version += 1;
  }

  deploy(target: Plane): void {
    deployAverage(this.#context.parameters, this.#averaging, target);
  }

  save(): State {
    return this.#averaging?.save() ?? { json: {}, arrays: {} };
  }

  restore(state: State): void {
    this.#averaging?.restore(state);
  }
}

/** `Perceptron` as pipeline files name it. */
export const perceptron: OptimizerComponent<PerceptronOptions> = {
  name: 'perceptron',
  summary: 'the averaged structured perceptron of Collins (2002)',
  options,
  example: 'optimize: { perceptron: {} }',
  losses: ['perceptron'],
  create: (chosen, context) => new Perceptron(chosen, context),
};
