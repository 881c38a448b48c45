import * as z from 'zod';
import type { Contribution } from '../core/training/contribution.js';
import type { State } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import { CoalescedGradient, tables } from '../kernels/rows/coalesced-gradient.js';
import { windowOption, windowRefusal } from './averaging/average-option.js';
import { AveragedWeights } from './averaging/averaged-steps.js';
import type { Mixing, Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { planeArrays, restorePlane, withoutAverage } from './planes/planes.js';
import { wrongTokens } from './wrong-tokens.js';

const options = z.strictObject({
  r: z.number().positive().default(1).describe('regularisation: larger values make smaller steps'),
  average: windowOption.optional(),
});

/** Options of `arow`, with their defaults. */
export type ArowOptions = z.infer<typeof options>;

/**
 * Adaptive regularisation of weights, with a confidence for each weight and Hamming cost:
 *
 *     d = F(yhat) - F(y*);  l = w.d + wrong tokens;  v = sum of sigma_i d_i^2
 *     w_i -= l / (v + r) sigma_i d_i;  1 / sigma_i += d_i^2 / r
 *
 * sigma starts at 1 and shrinks, so weights of frequent features change little. There is no update if
 * yhat = y*, or l <= 0. Only the diagonal of the inverse covariance is kept, as 1 / sigma - 1, which is 0
 * for new features. yhat is computed with the weights before the minibatch, w.d with the current ones. A
 * sentence of weight m uses r / m for r. Crammer, Kulesza and Dredze (2009).
 */
export class Arow extends AveragedWeights implements Optimizer {
  readonly name = 'arow';
  readonly stepSize = 1;
  readonly #options: ArowOptions;
  /** 1 / sigma - 1. */
  readonly #confidence: Plane;
  readonly #gradient = new CoalescedGradient();

  constructor(chosen: ArowOptions, context: OptimizerContext) {
    super(context, chosen.average ?? false);
    this.#options = chosen;
    this.#confidence = context.parameters.addPlane();
  }

  apply(contribution: Contribution): void {
    const { parameters } = this.context;
    const { labelled, weights } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      this.window?.before(contribution.minibatch, s);
      this.#learn(contribution, s, weights?.[s] ?? 1);
      this.window?.after();
    }
    parameters.version += 1;
  }

  #learn(contribution: Contribution, s: number, m: number): void {
    const cost = wrongTokens(contribution, s);
    if (cost === 0) return;
    const { parameters } = this.context;
    this.#gradient.gather(parameters, contribution, s);
    const loss = cost + this.#gradient.dotWeights(parameters) / m;
    if (loss <= 0) return;
    const r = this.#options.r / m;
    const step = loss / (this.#variance() / (m * m) + r);
    for (const table of tables) this.#update(table, step / m, 1 / (m * m * r));
  }

  /** Returns v, for the unscaled residuals. */
  #variance(): number {
    let sum = 0;
    for (const table of tables) {
      const { count, rows, size, sums } = this.#gradient[table];
      const confidence = this.#confidence[table].view;
      for (let i = 0; i < count; i += 1) {
        const row = rows[i]! * size;
        for (let y = 0; y < size; y += 1) {
          const d = sums[i * size + y]!;
          if (d !== 0) sum += (d * d) / (1 + confidence[row + y]!);
        }
      }
    }
    return sum;
  }

  #update(table: (typeof tables)[number], step: number, gain: number): void {
    const { count, rows, size, sums } = this.#gradient[table];
    const weights = this.context.parameters.weights[table].view;
    const confidence = this.#confidence[table].view;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]! * size;
      for (let y = 0; y < size; y += 1) {
        const d = sums[i * size + y]!;
        if (d === 0) continue;
        weights[row + y]! -= (step * d) / (1 + confidence[row + y]!);
        confidence[row + y]! += gain * d * d;
      }
    }
  }

  override mixing(): Mixing {
    return withoutAverage(this, () => undefined, [this.#confidence]);
  }

  save(): State {
    const { json = {}, arrays } = this.window?.save() ?? {};
    return { json, arrays: { ...arrays, ...planeArrays('confidence', this.#confidence) } };
  }

  restore(state: State): void {
    this.window?.restore(state);
    restorePlane('confidence', this.#confidence, state);
  }
}

/** The catalogue entry of `Arow`. */
export const arow: OptimizerComponent<ArowOptions> = {
  name: 'arow',
  summary: 'adaptive regularisation of weights with Hamming cost; keeps a confidence per weight',
  options,
  sizes: { perWeight: () => 1 },
  example: 'optimize: { arow: { r: 1 } }',
  hogwild: true,
  losses: ['perceptron'],
  refuses: ({ average = false }, training) => windowRefusal(average, training),
  create: (chosen, context) => new Arow(chosen, context),
};
