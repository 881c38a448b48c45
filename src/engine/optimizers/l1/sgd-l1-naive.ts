import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { type State, stateCount } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { ActiveRows } from '../../kernels/rows/active-rows.js';
import type { tables } from '../../kernels/rows/coalesced-gradient.js';
import { RowNumbers } from '../../kernels/rows/row-numbers.js';
import type { Mixing, Optimizer, OptimizerContext } from '../optimizer.js';
import { copyPlane, withoutAverage } from '../planes/planes.js';
import type { Schedule } from '../schedules/schedules.js';
import { PenaltyHistory } from './penalty-history.js';

type Table = (typeof tables)[number];

/**
 * Stochastic gradient descent with the subgradient of the L1 penalty, taken from all weights at each step:
 *
 *     after sentence k:  w -= eta_k * (gradient + C / N sign(w)),  sign(0) = 0
 *
 * Weights cross zero but are hardly ever zero, so nothing becomes sparse: it serves as a baseline. Weights
 * of absent features are charged for all missed steps at once when the feature occurs again
 * (`PenaltyHistory`). Compared in Tsuruoka, Tsujii and Ananiadou (2009).
 */
export class SgdL1Naive implements Optimizer {
  readonly name = 'sgd-l1';
  readonly lazy = true;
  readonly #context: OptimizerContext;
  readonly #l1: number;
  readonly #schedule: Schedule;
  readonly #history = new PenaltyHistory();
  readonly #active = new ActiveRows();
  /** Number of steps charged to each row. */
  readonly #clocks: RowNumbers;
  readonly #charge = (table: Table, row: number) => this.#chargeRow(table, row);
  #sentences = 0;

  constructor(l1: number, schedule: Schedule, context: OptimizerContext) {
    this.#l1 = l1;
    this.#schedule = schedule;
    this.#context = context;
    this.#clocks = new RowNumbers(context.parameters);
  }

  get stepSize(): number {
    return this.#schedule(this.#sentences / this.#context.corpusSize);
  }

  prepare(minibatch?: Minibatch): void {
    const { parameters } = this.#context;
    this.#clocks.reserve();
    if (minibatch === undefined) return;
    for (let s = 0; s < minibatch.labelled.length; s += 1) {
      if (minibatch.labelled[s] === 1) this.#active.each(parameters, minibatch, s, this.#charge);
    }
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters, corpusSize } = this.#context;
    const { minibatch } = contribution;
    for (let s = 0; s < minibatch.labelled.length; s += 1) {
      if (minibatch.labelled[s] === 0) continue;
      const eta = this.stepSize;
      if (this.#history.isFull) this.#chargeAll();
      this.#history.add((eta * this.#l1) / corpusSize);
      // The penalty uses the weights before the step.
      this.#active.each(parameters, minibatch, s, this.#charge);
      kernel.accumulate(parameters, parameters.weights, contribution, s, -eta);
      this.#sentences += 1;
    }
    parameters.version += 1;
  }

  #chargeRow(table: Table, row: number): void {
    const clock = this.#clocks.of(table);
    const from = clock[row]!;
    const { end } = this.#history;
    if (from >= end) return;
    clock[row] = end;
    this.#chargeNumbers(table, this.#context.parameters.weights[table].view, row, from);
  }

  #chargeNumbers(table: Table, numbers: Reals, row: number, from: number): void {
    const size = this.#clocks.size(table);
    for (let at = row * size; at < (row + 1) * size; at += 1) {
      const weight = numbers[at]!;
      if (weight !== 0) numbers[at] = this.#history.charged(weight, from);
    }
  }

  /** Charges all weights, and clears the history. */
  #chargeAll(): void {
    this.#clocks.each(this.#charge);
    this.#history.clear();
  }

  /** Writes the weights with all penalties charged. */
  deploy(target: Plane): void {
    copyPlane(this.#context.parameters.weights, target, 1);
    this.#clocks.each((table, row, clock) => {
      if (clock < this.#history.end) this.#chargeNumbers(table, target[table].view, row, clock);
    });
  }

  mixing(): Mixing {
    return withoutAverage(this, sentences => {
      this.#sentences = sentences;
    });
  }

  save(): State {
    const { json, arrays } = this.#history.save();
    return {
      json: { ...json, sentences: this.#sentences },
      arrays: {
        ...arrays,
        ...this.#clocks.save(),
      },
    };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
    this.#history.restore(state);
    this.#clocks.restore(state);
  }
}
