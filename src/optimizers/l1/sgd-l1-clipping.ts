import type { Contribution } from '../../core/training/contribution.js';
import { stateCount } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { Mixing, Optimizer, OptimizerContext } from '../optimizer.js';
import { copyPlane } from '../planes/copy-plane.js';
import { withoutAverage } from '../planes/without-average.js';
import { ActiveRows } from '../rows/active-rows.js';
import type { Schedule } from '../schedules/schedule.js';

/**
 * Stochastic gradient descent whose L1 penalty stops at zero, on active features alone:
 *
 *     after sentence k:  w -= eta_k * gradient
 *     then each weight of its features:  w = sign(w) max(0, |w| - eta_k C / N)
 *
 * A feature pays when it is seen, so that a rare one pays too little: models are less sparse than with the
 * cumulative penalty. Compared in Tsuruoka, Tsujii and Ananiadou (2009).
 */
export class SgdL1Clipping implements Optimizer {
  readonly name = 'sgd-l1';
  readonly #context: OptimizerContext;
  readonly #l1: number;
  readonly #schedule: Schedule;
  readonly #active = new ActiveRows();
  readonly #clip = (table: 'state' | 'edges' | 'pairs', row: number) => this.#clipRow(table, row);
  #sentences = 0;
  #charge = 0;

  constructor(l1: number, schedule: Schedule, context: OptimizerContext) {
    this.#l1 = l1;
    this.#schedule = schedule;
    this.#context = context;
  }

  get stepSize(): number {
    return this.#schedule(this.#sentences / this.#context.corpusSize);
  }

  prepare(): void {}

  apply(contribution: Contribution): void {
    const { kernel, parameters, corpusSize } = this.#context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const eta = this.stepSize;
      kernel.accumulate(parameters, parameters.weights, contribution, s, -eta);
      this.#charge = (eta * this.#l1) / corpusSize;
      this.#active.each(parameters, contribution.minibatch, s, this.#clip);
      this.#sentences += 1;
    }
    parameters.version += 1;
  }

  #clipRow(table: 'state' | 'edges' | 'pairs', row: number): void {
    const { weights, width, matrixSize } = this.#context.parameters;
    const numbers = weights[table].view;
    const size = table === 'state' ? width : table === 'edges' ? matrixSize : 1;
    const charge = this.#charge;
    const end = (row + 1) * size;
    for (let at = row * size; at < end; at += 1) {
      const w = numbers[at]!;
      if (w > 0) numbers[at] = Math.max(0, w - charge);
      else if (w < 0) numbers[at] = Math.min(0, w + charge);
    }
  }

  /** Nothing is owed. */
  settle(): void {}

  deploy(target: Plane): void {
    copyPlane(this.#context.parameters.weights, target, 1);
  }

  mixing(): Mixing {
    return withoutAverage(this, sentences => {
      this.#sentences = sentences;
    });
  }

  save(): State {
    return { json: { sentences: this.#sentences }, arrays: {} };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
  }
}
