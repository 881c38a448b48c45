import * as z from 'zod';
import type { Reals } from '../core/arrays.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import type { Mixing, Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { copyPlane, planeArrays, restorePlane, withoutAverage } from './planes/planes.js';
import { ActiveRows } from './rows/active-rows.js';
import { CoalescedGradient, type GradientRows, tables } from './rows/coalesced-gradient.js';
import { TableClocks } from './rows/table-clocks.js';

/** Penalties and steps of AdaGrad, as its options name them. */
interface CompositeOptions {
  readonly eta0: number;
  readonly delta: number;
  readonly l1: number;
  readonly l2: number;
}

/**
 * The step of composite mirror descent for one weight, and k steps without a gradient at once.
 *
 * With h = delta + sqrt(sum of squared gradients), r1 = eta l1 / N and r2 = 2 eta l2 / N, a step without a
 * gradient makes |w| into max(0, h |w| - r1) / (h + r2). As h stays the same, k of them make it
 *
 *     max(0, a^k |w| - (1 - a^k) r1 / r2),  a = h / (h + r2);   without L2: max(0, |w| - k r1 / h)
 */
export class CompositePenalty {
  /** Whether weights owe anything at all. */
  readonly charges: boolean;
  readonly #eta: number;
  readonly #delta: number;
  readonly #r1: number;
  readonly #r2: number;

  constructor({ eta0, delta, l1, l2 }: CompositeOptions, corpusSize: number) {
    this.charges = l1 > 0 || l2 > 0;
    this.#eta = eta0;
    this.#delta = delta;
    this.#r1 = (eta0 * l1) / corpusSize;
    this.#r2 = (2 * eta0 * l2) / corpusSize;
  }

  /** The weight after a step with the gradient `g`, whose square is in `squares` already. */
  step(weight: number, g: number, squares: number): number {
    // Most weights of a sparse model: they stay 0, whatever h is.
    if (weight === 0 && this.#eta * Math.abs(g) <= this.#r1) return 0;
    const h = this.#delta + Math.sqrt(squares);
    const u = h * weight - this.#eta * g;
    const size = Math.abs(u) - this.#r1;
    if (size <= 0) return 0;
    return (u > 0 ? size : -size) / (h + this.#r2);
  }

  /** The weight after `count` steps without a gradient. */
  charged(weight: number, squares: number, count: number): number {
    const h = this.#delta + Math.sqrt(squares);
    let size = Math.abs(weight);
    if (this.#r2 === 0) size -= (count * this.#r1) / h;
    else {
      // 1 - a^k without the loss of digits of a near 1.
      const lost = -Math.expm1(-count * Math.log1p(this.#r2 / h));
      size -= lost * (size + this.#r1 / this.#r2);
    }
    if (size <= 0) return 0;
    return weight > 0 ? size : -size;
  }
}

const options = z.strictObject({
  eta0: z.number().positive().default(0.2).describe('base step size eta'),
  delta: z
    .number()
    .positive()
    .default(0.1)
    .describe('added to the root of the sum of squared gradients'),
  l1: z.number().min(0).default(0).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0.5).describe('L2 penalty: l2 * sum w^2 over the corpus'),
});

/** Options of `adagrad`, with their defaults. */
export type AdagradOptions = z.infer<typeof options>;

type Table = (typeof tables)[number];

/**
 * AdaGrad, diagonal, with composite penalties: each weight has a step size of its own,
 *
 *     s_i += g_i^2;  h_i = delta + sqrt(s_i);  u = h_i w_i - eta g_i
 *     w_i = sign(u) max(0, |u| - eta l1 / N) / (h_i + 2 eta l2 / N)
 *
 * after each sentence, for all weights: the composite mirror descent form. Weights of features that are
 * not in a sentence have g = 0, and what the penalties take from them over many sentences has a closed
 * form (`CompositePenalty`), which is charged when a feature is met again. The g of a sentence is summed
 * over its tokens before it is squared. Steps shrink as squares add up, on a stream forever.
 * Duchi, Hazan and Singer (2011).
 */
export class Adagrad implements Optimizer {
  readonly name = 'adagrad';
  readonly lazy = true;
  readonly stepSize: number;
  readonly #context: OptimizerContext;
  readonly #penalty: CompositePenalty;
  readonly #squares: Plane;
  readonly #gradient = new CoalescedGradient();
  /** Sentences whose penalties each row has had. */
  readonly #clocks: TableClocks;
  readonly #active = new ActiveRows();
  readonly #charge = (table: Table, row: number) => this.#chargeRow(table, row);
  #sentences = 0;

  constructor(chosen: AdagradOptions, context: OptimizerContext) {
    this.stepSize = chosen.eta0;
    this.#context = context;
    this.#clocks = new TableClocks(context.parameters);
    this.#penalty = new CompositePenalty(chosen, context.corpusSize);
    this.#squares = context.parameters.addPlane();
  }

  prepare(minibatch?: Minibatch): void {
    const { parameters } = this.#context;
    this.#clocks.reserve();
    if (minibatch === undefined || !this.#penalty.charges) return;
    for (let s = 0; s < minibatch.labelled.length; s += 1) {
      if (minibatch.labelled[s] === 1) this.#active.each(parameters, minibatch, s, this.#charge);
    }
  }

  apply(contribution: Contribution): void {
    const { parameters } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      this.#gradient.gather(parameters, contribution, s);
      for (const table of tables) this.#step(table, this.#gradient[table]);
      this.#sentences += 1;
    }
    parameters.version += 1;
  }

  #step(table: Table, { count, rows, size, sums }: GradientRows): void {
    const weights = this.#context.parameters.weights[table].view;
    const squares = this.#squares[table].view;
    const clock = this.#clocks.of(table);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      this.#chargeRow(table, row);
      clock[row] = this.#sentences + 1;
      for (let y = 0; y < size; y += 1) {
        const g = sums[i * size + y]!;
        const at = row * size + y;
        squares[at]! += g * g;
        weights[at] = this.#penalty.step(weights[at]!, g, squares[at]!);
      }
    }
  }

  /** Charges a row for the sentences that it was not in. */
  #chargeRow(table: Table, row: number): void {
    const clock = this.#clocks.of(table);
    const missed = this.#sentences - clock[row]!;
    if (missed <= 0) return;
    clock[row] = this.#sentences;
    const weights = this.#context.parameters.weights[table].view;
    this.#chargeNumbers(table, weights, row, missed);
  }

  #chargeNumbers(table: Table, weights: Reals, row: number, missed: number): void {
    if (!this.#penalty.charges) return;
    const squares = this.#squares[table].view;
    const size = this.#clocks.size(table);
    for (let at = row * size; at < (row + 1) * size; at += 1) {
      const weight = weights[at]!;
      if (weight !== 0) weights[at] = this.#penalty.charged(weight, squares[at]!, missed);
    }
  }

  mixing(): Mixing {
    return withoutAverage(this, () => undefined, [this.#squares]);
  }

  /** The weights after what all rows still owe. */
  deploy(target: Plane): void {
    copyPlane(this.#context.parameters.weights, target, 1);
    this.#clocks.each((table, row, clock) =>
      this.#chargeNumbers(table, target[table].view, row, this.#sentences - clock),
    );
  }

  save(): State {
    return {
      json: { sentences: this.#sentences },
      arrays: {
        ...planeArrays('squares', this.#squares),
        ...this.#clocks.save(),
      },
    };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
    restorePlane('squares', this.#squares, state);
    this.#clocks.restore(state);
  }
}

/** `Adagrad` as pipeline files name it. */
export const adagrad: OptimizerComponent<AdagradOptions> = {
  name: 'adagrad',
  summary: 'AdaGrad: a step size for each weight, with L1 and L2',
  options,
  example: 'optimize: { adagrad: { eta0: 0.2, l1: 0, l2: 0.5 } }',
  create: (chosen, context) => new Adagrad(chosen, context),
};
