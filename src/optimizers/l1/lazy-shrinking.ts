import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { stateNumber } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { ActiveRows } from '../rows/active-rows.js';
import type { tables } from '../rows/coalesced-gradient.js';
import { TableClocks } from '../rows/table-clocks.js';

type Table = (typeof tables)[number];

/**
 * An L2 penalty that takes a share of all weights after each sentence, charged to a row when it is met again:
 *
 *     w <- w (1 - 2 eta_j l2 / N) ... (1 - 2 eta_k l2 / N)   for the sentences j..k since it was met last
 *
 * The product is kept as a running sum of logarithms; a row knows the sum that it has had. For optimizers
 * that cannot keep a common scale beside their weights, as an L1 penalty moves them by absolute amounts.
 */
export class LazyShrinking {
  readonly #parameters: ParameterStore;
  readonly #clocks: TableClocks;
  readonly #active = new ActiveRows();
  readonly #charge = (table: Table, row: number) => this.#chargeRow(table, row);
  /** Sum of log(1 - 2 eta l2 / N). */
  #total = 0;

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
    this.#clocks = new TableClocks(parameters);
  }

  /** Makes room for the rows that there are. */
  reserve(): void {
    this.#clocks.reserve();
  }

  /** All weights lose the share; those of rows that are not met lose it later. */
  shrink(share: number): void {
    this.#total += Math.log1p(-share);
  }

  /** Brings the rows of the features of a labelled sentence up to date. */
  charge(minibatch: Minibatch, s: number): void {
    if (minibatch.labelled[s] === 0) return;
    this.#active.each(this.#parameters, minibatch, s, this.#charge);
  }

  #chargeRow(table: Table, row: number): void {
    const clock = this.#clocks.of(table);
    const owed = this.#total - clock[row]!;
    if (owed === 0) return;
    clock[row] = this.#total;
    this.#multiply(this.#parameters.weights, table, row, owed);
  }

  /** Charges a copy of the weights for all that rows still owe. */
  deploy(target: Plane): void {
    this.#clocks.each((table, row, clock) => {
      const owed = this.#total - clock;
      if (owed !== 0) this.#multiply(target, table, row, owed);
    });
  }

  /** Once all that was owed has been charged: nobody owes anything. */
  reset(): void {
    this.#total = 0;
    this.#clocks.reset();
  }

  #multiply(plane: Plane, table: Table, row: number, owed: number): void {
    const factor = Math.exp(owed);
    const weights = plane[table].view;
    const size = this.#clocks.size(table);
    for (let at = row * size; at < (row + 1) * size; at += 1) weights[at]! *= factor;
  }

  save(): State {
    return { json: { shrunk: this.#total }, arrays: this.#clocks.save() };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit together */
  restore(state: State): void {
    this.#total = stateNumber(state, 'shrunk');
    this.#clocks.restore(state);
  }
}
