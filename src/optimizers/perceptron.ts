import * as z from 'zod';
import type { Contribution } from '../core/training/contribution.js';
import type { State } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import { AveragedSteps } from './averaging/averaged-steps.js';
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
  readonly #steps: AveragedSteps;

  constructor(chosen: PerceptronOptions, context: OptimizerContext) {
    this.#steps = new AveragedSteps(context, chosen.average, (contribution, s) =>
      wrongTokens(contribution, s) > 0 ? -1 : 0,
    );
  }

  prepare(): void {
    this.#steps.prepare();
  }

  apply(contribution: Contribution): void {
    this.#steps.apply(contribution);
  }

  deploy(target: Plane): void {
    this.#steps.deploy(target);
  }

  save(): State {
    return this.#steps.save();
  }

  restore(state: State): void {
    this.#steps.restore(state);
  }
}

/** `Perceptron` as pipeline files name it. */
export const perceptron: OptimizerComponent<PerceptronOptions> = {
  name: 'perceptron',
  summary: 'the averaged structured perceptron of Collins (2002)',
  options,
  example: 'optimize: { perceptron: {} }',
  hogwild: true,
  losses: ['perceptron'],
  create: (chosen, context) => new Perceptron(chosen, context),
};
