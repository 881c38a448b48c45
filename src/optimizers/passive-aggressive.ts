import * as z from 'zod';
import type { Contribution } from '../core/contribution.js';
import type { State } from '../core/state.js';
import type { Plane } from '../kernels/plane.js';
import { Averaging } from './averaging.js';
import { CoalescedGradient } from './coalesced-gradient.js';
import { deployAverage } from './deploy-average.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { wrongTokens } from './wrong-tokens.js';

const options = z.strictObject({
  variant: z
    .enum(['pa', 'pa-1', 'pa-2'])
    .default('pa-1')
    .describe('pa: steps of any length; pa-1: at most the aggressiveness; pa-2: damped by it'),
  aggressiveness: z.number().positive().default(1).describe('C of PA-I and PA-II; no use in PA'),
  average: z.boolean().default(true).describe('deploy the average of the weights'),
});

export type PassiveAggressiveOptions = z.infer<typeof options>;

/**
 * Passive-aggressive learning with Hamming cost: the least change of the weights by which the gold labels
 * score as much more than the best ones yhat as there are wrong labels in yhat,
 *
 *     d = F(yhat) - F(y*);  l = w.d + wrong tokens;  w -= tau d
 *     PA:    tau = l / |d|^2
 *     PA-I:  tau = min(C, l / |d|^2)
 *     PA-II: tau = l / (|d|^2 + 1 / (2 C))
 *
 * Nothing is done where yhat = y*, or l <= 0. yhat is found before the minibatch, w.d is that of the
 * present weights. A sentence of weight m has m C for C. Crammer, Dekel, Keshet, Shalev-Shwartz and
 * Singer (2006).
 */
export class PassiveAggressive implements Optimizer {
  readonly name = 'passive-aggressive';
  readonly #context: OptimizerContext;
  readonly #options: PassiveAggressiveOptions;
  readonly #averaging: Averaging | undefined;
  readonly #gradient = new CoalescedGradient();

  constructor(chosen: PassiveAggressiveOptions, context: OptimizerContext) {
    this.#options = chosen;
    this.#context = context;
    this.#averaging = chosen.average ? new Averaging(context.parameters) : undefined;
  }

  /** The largest step of PA-I; 1 for the others, whose steps are as long as need be. */
  get stepSize(): number {
    return this.#options.variant === 'pa-1' ? this.#options.aggressiveness : 1;
  }

  prepare(): void {
    this.#averaging?.prepare(this.#context.parameters);
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters } = this.#context;
    const { labelled, weights } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const factor = this.#factor(contribution, s, weights?.[s] ?? 1);
      if (factor !== 0) kernel.accumulate(parameters, parameters.weights, contribution, s, factor);
      this.#averaging?.follow(kernel, parameters, contribution, s, factor);
    }
    parameters.version += 1;
  }

  /** -tau for the residuals as they are: those of a sentence of weight m are m d. */
  #factor(contribution: Contribution, s: number, m: number): number {
    const cost = wrongTokens(contribution, s);
    if (cost === 0) return 0;
    const { parameters } = this.#context;
    const { variant, aggressiveness } = this.#options;
    this.#gradient.gather(parameters, contribution, s);
    const loss = cost + this.#gradient.dotWeights(parameters) / m;
    const norm = this.#gradient.squaredNorm() / (m * m);
    if (loss <= 0 || norm === 0) return 0;
    if (variant === 'pa-2') return -loss / (norm + 1 / (2 * aggressiveness * m)) / m;
    const step = loss / norm;
    return -(variant === 'pa' ? step : Math.min(aggressiveness * m, step)) / m;
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

/** `PassiveAggressive` as pipeline files name it. */
export const passiveAggressive: OptimizerComponent<PassiveAggressiveOptions> = {
  name: 'passive-aggressive',
  summary: 'PA, PA-I and PA-II with Hamming cost: steps as long as the margin asks for',
  options,
  example: 'optimize: { passive-aggressive: { variant: pa-1, aggressiveness: 1 } }',
  losses: ['perceptron'],
  create: (chosen, context) => new PassiveAggressive(chosen, context),
};
