import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../store/parameter-store.js';

type Table = 'state' | 'edges' | 'pairs';

/**
 * The rows of a store's tables active in a sentence, without duplicates: rows of state features, blocks
 * of edge features (0 for the plain transitions) and single pairs.
 */
export class ActiveRows {
  readonly #stamps = {
    state: new Float64Array(64),
    edges: new Float64Array(64),
    pairs: new Float64Array(64),
  };
  #stamp = 0;

  /** Calls `visit` for each row. Cost O(active features). */
  each(
    store: ParameterStore,
    minibatch: Minibatch,
    s: number,
    visit: (table: Table, row: number) => void,
  ): void {
    this.#begin(store);
    const { sentenceStarts, stateStarts, stateRows, edgeStarts, edgeRows } = minibatch;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    for (let k = stateStarts[first]!; k < stateStarts[end]!; k += 1) {
      if (this.#isNew('state', stateRows[k]!)) visit('state', stateRows[k]!);
    }
    if (store.scoresTransitions(end - first)) visit('edges', 0);
    if (edgeStarts === undefined) return;
    const { heads, next } = store.pairs;
    for (let k = edgeStarts[first + 1]!; k < edgeStarts[end]!; k += 1) {
      const feature = edgeRows![k]!;
      if (store.hasEdgeBlocks) {
        if (this.#isNew('edges', feature)) visit('edges', feature);
        continue;
      }
      for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
        if (this.#isNew('pairs', pair)) visit('pairs', pair);
      }
    }
  }

  #begin({ stateRows, edgeRows, pairs }: ParameterStore): void {
    this.#stamp += 1;
    this.#reserve('state', stateRows);
    this.#reserve('edges', edgeRows);
    this.#reserve('pairs', pairs.size);
  }

  #reserve(table: Table, rows: number): void {
    const old = this.#stamps[table];
    if (rows <= old.length) return;
    this.#stamps[table] = new Float64Array(Math.max(rows, 2 * old.length));
    this.#stamps[table].set(old);
  }

  #isNew(table: Table, row: number): boolean {
    const stamps = this.#stamps[table];
    if (stamps[row] === this.#stamp) return false;
    stamps[row] = this.#stamp;
    return true;
  }
}
