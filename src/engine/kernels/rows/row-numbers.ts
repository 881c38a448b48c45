import type { Reals } from '../../core/arrays.js';
import { type State, stateArray } from '../../core/training/state.js';
import { RealTable } from '../memory/real-table.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { tables } from './coalesced-gradient.js';

/** Name of a table of weights. */
export type TableName = (typeof tables)[number];

/** Suffixes in checkpoints, appended to the name of the numbers. */
const names = { state: 'stateRows', edges: 'edgeRows', pairs: 'pairs' } as const;

/**
 * A number for each row of a store's tables: rows of state features, blocks of edge features (one block if there
 * are only plain transitions) and single pairs. An example is a clock: the sentence up to which a row is current.
 * For kernels, the numbers lie in the parameters' memory as float64.
 */
export class RowNumbers {
  readonly #parameters: ParameterStore;
  readonly #name: string;
  readonly #numbers: Readonly<Record<TableName, RealTable>>;

  /** @param name name in checkpoints */
  constructor(parameters: ParameterStore, name = 'clocks') {
    const { memory } = parameters;
    this.#parameters = parameters;
    this.#name = name;
    this.#numbers = {
      state: new RealTable(memory, 1),
      edges: new RealTable(memory, 1),
      pairs: new RealTable(memory, 1),
    };
  }

  /** Makes room for the current rows; new rows start at 0, which is correct as long as their weights are 0. */
  reserve(): void {
    for (const table of tables) this.#numbers[table].reserve(this.rows(table));
  }

  /** Returns the numbers of a table, by row; valid until the next `reserve`. */
  of(table: TableName): Reals {
    return this.#numbers[table].view;
  }

  /** Returns the offset of a table's numbers in the parameters' memory. */
  offset(table: TableName): number {
    return this.#numbers[table].offset;
  }

  /** Returns the number of rows of a table. */
  rows(table: TableName): number {
    const { stateRows, edgeRows, hasEdgeBlocks, pairs } = this.#parameters;
    if (table === 'state') return stateRows;
    return table === 'pairs' ? pairs.size : hasEdgeBlocks ? edgeRows : 1;
  }

  /** Returns the number of values per row of a table. */
  size(table: TableName): number {
    const { width, matrixSize } = this.#parameters;
    return table === 'state' ? width : table === 'edges' ? matrixSize : 1;
  }

  /** Calls `visit` for each row of each table with its number. */
  each(visit: (table: TableName, row: number, number: number) => void): void {
    for (const table of tables) {
      const numbers = this.of(table);
      const rows = this.rows(table);
      for (let row = 0; row < rows; row += 1) visit(table, row, numbers[row]!);
    }
  }

  /** Sets the numbers of all rows to 0. */
  reset(): void {
    this.setAll(0);
  }

  /** Sets the number of all rows. */
  setAll(number: number): void {
    for (const table of tables) this.of(table).fill(number);
  }

  /** Returns copies, because threads that share the memory restore into their own rows. */
  save(): State['arrays'] {
    this.reserve();
    return Object.fromEntries(
      tables.map(table => [this.#nameOf(table), this.of(table).slice(0, this.rows(table))]),
    );
  }

  /** @throws TagstreamError `checkpoint` if an array is missing */
  restore(state: State): void {
    for (const table of tables) {
      const saved = stateArray(state, this.#nameOf(table), [Float64Array]);
      this.#numbers[table].reserve(Math.max(saved.length, this.rows(table)));
      const numbers = this.of(table);
      numbers.set(saved);
      numbers.fill(0, saved.length);
    }
  }

  #nameOf(table: TableName): string {
    return `${this.#name}.${names[table]}`;
  }
}
