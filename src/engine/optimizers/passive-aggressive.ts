import * as z from 'zod';
import type { Contribution } from '../core/training/contribution.js';
import { CoalescedGradient } from '../kernels/rows/coalesced-gradient.js';
import { averageOption, windowRefusal } from './averaging/average-option.js';
import { AveragedSteps } from './averaging/averaged-steps.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { wrongTokens } from './wrong-tokens.js';

const options = z.strictObject({
  variant: z
    .enum(['pa', 'pa-1', 'pa-2'])
    .default('pa-1')
    .describe(
      'pa: steps of any length; pa-1: steps capped by the aggressiveness; pa-2: steps damped by it',
    ),
  aggressiveness: z.number().positive().default(1).describe('C of PA-I and PA-II; unused in PA'),
  average: averageOption.default(true).describe('deploy the average of the weights'),
});

/** Options of `passiveAggressive`, with their defaults. */
export type PassiveAggressiveOptions = z.infer<typeof options>;

/**
 * Passive-aggressive learning with Hamming cost: the smallest weight change with which the gold labels
 * outscore the best labels yhat by the number of wrong labels in yhat,
 *
 *     d = F(yhat) - F(y*);  l = w.d + wrong tokens;  w -= tau d
 *     PA:    tau = l / |d|^2
 *     PA-I:  tau = min(C, l / |d|^2)
 *     PA-II: tau = l / (|d|^2 + 1 / (2 C))
 *
 * There is no update if yhat = y*, or l <= 0. yhat is computed with the weights before the minibatch, w.d
 * with the current ones. A sentence of weight m uses m C for C. Crammer, Dekel, Keshet, Shalev-Shwartz
 * and Singer (2006).
 */
export class PassiveAggressive extends AveragedSteps implements Optimizer {
  readonly name = 'passive-aggressive';
  readonly #options: PassiveAggressiveOptions;
  readonly #gradient = new CoalescedGradient();

  constructor(chosen: PassiveAggressiveOptions, context: OptimizerContext) {
    super(context, chosen.average);
    this.#options = chosen;
  }

  /** The maximum step of PA-I; 1 for the others, whose steps are unbounded. */
  get stepSize(): number {
    return this.#options.variant === 'pa-1' ? this.#options.aggressiveness : 1;
  }

  /** Returns -tau for the unscaled residuals; those of a sentence of weight m are m d. */
  protected factor(contribution: Contribution, s: number): number {
    const m = contribution.minibatch.weights?.[s] ?? 1;
    const cost = wrongTokens(contribution, s);
    if (cost === 0) return 0;
    const { parameters } = this.context;
    const { variant, aggressiveness } = this.#options;
    this.#gradient.gather(parameters, contribution, s);
    const loss = cost + this.#gradient.dotWeights(parameters) / m;
    const norm = this.#gradient.squaredNorm() / (m * m);
    if (loss <= 0 || norm === 0) return 0;
    if (variant === 'pa-2') return -loss / (norm + 1 / (2 * aggressiveness * m)) / m;
    const step = loss / norm;
    return -(variant === 'pa' ? step : Math.min(aggressiveness * m, step)) / m;
  }
}

/** The catalogue entry of `PassiveAggressive`. */
export const passiveAggressive: OptimizerComponent<PassiveAggressiveOptions> = {
  name: 'passive-aggressive',
  summary: 'PA, PA-I and PA-II with Hamming cost: steps as long as the margin requires',
  options,
  sizes: { perWeight: () => 0 },
  example: 'optimize: { passive-aggressive: { variant: pa-1, aggressiveness: 1 } }',
  hogwild: true,
  losses: ['perceptron'],
  refuses: ({ average }, training) => windowRefusal(average, training),
  create: (chosen, context) => new PassiveAggressive(chosen, context),
};
