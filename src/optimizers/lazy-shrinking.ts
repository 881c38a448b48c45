import type { Minibatch } from '../core/minibatch.js';
import { stateNumber } from '../core/read-state.js';
import type { State } from '../core/state.js';
import type { ParameterStore } from '../kernels/parameter-store.js';
import type { Plane } from '../kernels/plane.js';
import { tables } from './coalesced-gradient.js';
import { RowClocks } from './row-clocks.js';

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
  readonly #clocks = { state: new RowClocks(), edges: new RowClocks(), pairs: new RowClocks() };
  /** Sum of log(1 - 2 eta l2 / N). */
  #total = 0;

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
  }

  /** Makes room for the rows that there are. */
  reserve(): void {
    for (const table of tables) this.#clocks[table].reserve(this.#rows(table));
  }

  /** All weights lose the share; those of rows that are not met lose it later. */
  shrink(share: number): void {
    this.#total += Math.log1p(-share);
  }

  /** Brings the rows of the features of a labelled sentence up to date. */
  charge(minibatch: Minibatch, s: number): void {
    const { labelled, sentenceStarts, stateStarts, stateRows, edgeStarts, edgeRows } = minibatch;
    if (labelled[s] === 0) return;
    const parameters = this.#parameters;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    for (let k = stateStarts[first]!; k < stateStarts[end]!; k += 1) {
      this.#chargeRow('state', stateRows[k]!);
    }
    if (parameters.layout.transitions) this.#chargeRow('edges', 0);
    if (edgeStarts === undefined) return;
    const { heads, next } = parameters.pairs;
    for (let k = edgeStarts[first]!; k < edgeStarts[end]!; k += 1) {
      const feature = edgeRows![k]!;
      if (parameters.hasEdgeBlocks) this.#chargeRow('edges', feature);
      else {
        for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
          this.#chargeRow('pairs', pair);
        }
      }
    }
  }

  #chargeRow(table: Table, row: number): void {
    const clock = this.#clocks[table].sentences;
    const owed = this.#total - clock[row]!;
    if (owed === 0) return;
    clock[row] = this.#total;
    this.#multiply(this.#parameters.weights, table, row, owed);
  }

  /** Charges a copy of the weights for all that rows still owe. */
  deploy(target: Plane): void {
    for (const table of tables) {
      const clock = this.#clocks[table].sentences;
      const rows = this.#rows(table);
      for (let row = 0; row < rows; row += 1) {
        const owed = this.#total - clock[row]!;
        if (owed !== 0) this.#multiply(target, table, row, owed);
      }
    }
  }

  /** Once all that was owed has been charged: nobody owes anything. */
  reset(): void {
    this.#total = 0;
    for (const table of tables) this.#clocks[table].sentences.fill(0);
  }

  #multiply(plane: Plane, table: Table, row: number, owed: number): void {
    const factor = Math.exp(owed);
    const weights = plane[table].view;
    const { width, matrixSize } = this.#parameters;
    const size = table === 'state' ? width : table === 'edges' ? matrixSize : 1;
    for (let at = row * size; at < (row + 1) * size; at += 1) weights[at]! *= factor;
  }

  #rows(table: Table): number {
    const { stateRows, edgeRows, hasEdgeBlocks, pairs } = this.#parameters;
    if (table === 'state') return stateRows;
    return table === 'pairs' ? pairs.size : hasEdgeBlocks ? edgeRows : 1;
  }

  save(): State {
    const { state, edges, pairs } = this.#clocks;
    return {
      json: { shrunk: this.#total },
      arrays: {
        'clocks.stateRows': state.save(this.#rows('state')),
        'clocks.edgeRows': edges.save(this.#rows('edges')),
        'clocks.pairs': pairs.save(this.#rows('pairs')),
      },
    };
  }

  /** @throws TagstreamError `checkpoint` where the state does not fit together */
  restore(state: State): void {
    this.#total = stateNumber(state, 'shrunk');
    this.#clocks.state.restore(state, 'clocks.stateRows');
    this.#clocks.edges.restore(state, 'clocks.edgeRows');
    this.#clocks.pairs.restore(state, 'clocks.pairs');
  }
}
