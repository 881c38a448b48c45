import type { Reals } from '../../core/arrays.js';
import { type State, stateArray } from '../../core/training/state.js';
import { RealTable } from '../memory/real-table.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { tables } from './coalesced-gradient.js';

type Table = (typeof tables)[number];

/** Names in checkpoints. */
const names = {
  state: 'clocks.stateRows',
  edges: 'clocks.edgeRows',
  pairs: 'clocks.pairs',
} as const;

/**
 * For each row of a store's tables what it has been brought up to date with: rows of state features, blocks of
 * edge features (one block where there are only plain transitions) and single pairs. The clocks lie in the memory
 * of the parameters, a float64 each, where kernels find them.
 */
export class TableClocks {
  readonly #parameters: ParameterStore;
  readonly #clocks: Readonly<Record<Table, RealTable>>;

  constructor(parameters: ParameterStore) {
    const { memory } = parameters;
    this.#parameters = parameters;
    this.#clocks = {
      state: new RealTable(memory, 1),
      edges: new RealTable(memory, 1),
      pairs: new RealTable(memory, 1),
    };
  }

  /** Makes room for the rows that there are; new ones have 0, which is right as long as their weights are 0. */
  reserve(): void {
    for (const table of tables) this.#clocks[table].reserve(this.rows(table));
  }

  /** The clocks of a table, by row; until `reserve` is called again. */
  of(table: Table): Reals {
    return this.#clocks[table].view;
  }

  /** Where the clocks of a table start in the memory of the parameters. */
  offset(table: Table): number {
    return this.#clocks[table].offset;
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
    this.reserve();
    return Object.fromEntries(
      tables.map(table => [names[table], this.of(table).subarray(0, this.rows(table))]),
    );
  }

  /** @throws TagstreamError `checkpoint` where an array is missing */
  restore(state: State): void {
    for (const table of tables) {
      const saved = stateArray(state, names[table], [Float64Array]);
      this.#clocks[table].reserve(Math.max(saved.length, this.rows(table)));
      const clocks = this.of(table);
      clocks.set(saved);
      clocks.fill(0, saved.length);
    }
  }
}
