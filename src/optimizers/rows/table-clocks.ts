import { type State, stateArray } from '../../core/training/state.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { tables } from './coalesced-gradient.js';

/** For each row of a table the number of sentences that it has been brought up to date with. */
class RowClocks {
  sentences: Float64Array = new Float64Array(64);

  /** Makes room for `rows` rows; new ones have 0, which is right as long as their weights are 0. */
  reserve(rows: number): void {
    if (rows <= this.sentences.length) return;
    const sentences = new Float64Array(Math.max(rows, 2 * this.sentences.length));
    sentences.set(this.sentences);
    this.sentences = sentences;
  }

  /** The clocks of the first `rows` rows, for a checkpoint. */
  save(rows: number): Float64Array {
    this.reserve(rows);
    return this.sentences.subarray(0, rows);
  }

  /** @throws TagstreamError `checkpoint` if there is no array of that name */
  restore(state: State, name: string): void {
    const saved = stateArray(state, name, [Float64Array]);
    this.sentences = new Float64Array(Math.max(64, saved.length));
    this.sentences.set(saved);
  }
}

type Table = (typeof tables)[number];

/** Names in checkpoints. */
const names = {
  state: 'clocks.stateRows',
  edges: 'clocks.edgeRows',
  pairs: 'clocks.pairs',
} as const;

/**
 * For each row of a store's tables what it has been brought up to date with: rows of state features, blocks of
 * edge features (one block where there are only plain transitions) and single pairs.
 */
export class TableClocks {
  readonly #parameters: ParameterStore;
  readonly #clocks = { state: new RowClocks(), edges: new RowClocks(), pairs: new RowClocks() };

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
  }

  /** Makes room for the rows that there are. */
  reserve(): void {
    for (const table of tables) this.#clocks[table].reserve(this.rows(table));
  }

  /** The clocks of a table, by row; until `reserve` is called again. */
  of(table: Table): Float64Array {
    return this.#clocks[table].sentences;
  }

  /** Rows of a table. */
  rows(table: Table): number {
    const { stateRows, edgeRows, hasEdgeBlocks, pairs } = this.#parameters;
    if (table === 'state') return stateRows;
    return table === 'pairs' ? pairs.size : hasEdgeBlocks ? edgeRows : 1;
  }

  /** Numbers in a row of a table. */
  size(table: Table): number {
    const { width, matrixSize } = this.#parameters;
    return table === 'state' ? width : table === 'edges' ? matrixSize : 1;
  }

  /** Calls `visit` for each row of each table with what it has been brought up to date with. */
  each(visit: (table: Table, row: number, clock: number) => void): void {
    for (const table of tables) {
      const clocks = this.of(table);
      const rows = this.rows(table);
      for (let row = 0; row < rows; row += 1) visit(table, row, clocks[row]!);
    }
  }

  /** All rows start again. */
  reset(): void {
    for (const table of tables) this.of(table).fill(0);
  }

  save(): State['arrays'] {
    return Object.fromEntries(
      tables.map(table => [names[table], this.#clocks[table].save(this.rows(table))]),
    );
  }

  /** @throws TagstreamError `checkpoint` where an array is missing */
  restore(state: State): void {
    for (const table of tables) this.#clocks[table].restore(state, names[table]);
  }
}
