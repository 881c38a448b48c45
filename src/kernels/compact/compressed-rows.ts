import type { LinearMemory } from '../linear-memory.js';
import { RealTable } from '../real-table.js';
import type { Support } from '../support.js';

/** What of a store says which pairs there are. */
export interface SupportedPairs {
  readonly labels: number;
  readonly width: number;
  readonly stateRows: number;
  readonly support: Support | undefined;
}

/** A feature has a dense row too where it has a pair for one in so many lanes: vectors are faster then. */
const lanesPerPair = 4;

/**
 * State weights of the supported pairs of feature and label alone: feature f has the pairs
 * `[starts[f], starts[f + 1])`, each with its label, ascending, and its weight, in float64 whatever the
 * precision of a kernel. It is the order of `FreeParameters`.
 *
 * Features with many labels have rows of `width` lanes beside it, of the same weights.
 */
export class CompressedRows {
  readonly memory: LinearMemory;
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
  /** For each feature its dense row, or -1. */
  readonly denseRows: Int32Array;
  /** A weight for each pair. */
  readonly weights: RealTable;
  /** The weights of dense rows once more. */
  readonly dense: RealTable;
  /** The pairs that have a place in dense rows, and that place. */
  readonly #pairs: Uint32Array;
  readonly #places: Uint32Array;

  /** Those of the supported pairs of a store, all weights 0, in a memory; dense rows have `width` lanes. */
  constructor(store: SupportedPairs, memory: LinearMemory, width: number) {
    const { labels, stateRows, support } = store;
    const starts = new Uint32Array(stateRows + 1);
    const denseRows = new Int32Array(stateRows).fill(-1);
    const pairLabels: number[] = [];
    const pairs: number[] = [];
    const places: number[] = [];
    let rows = 0;
    for (let row = 0; row < stateRows; row += 1) {
      for (let y = 0; y < labels; y += 1) {
        const allowed = support === undefined || support.state[row * store.width + y] === 1;
        if (allowed) pairLabels.push(y);
      }
      starts[row + 1] = pairLabels.length;
      if ((starts[row + 1]! - starts[row]!) * lanesPerPair < width) continue;
      for (let pair = starts[row]!; pair < starts[row + 1]!; pair += 1) {
        pairs.push(pair);
        places.push(rows * width + pairLabels[pair]!);
      }
      denseRows[row] = rows;
      rows += 1;
    }
    this.memory = memory;
    this.starts = starts;
    this.labels = Uint32Array.from(pairLabels);
    this.denseRows = denseRows;
    this.#pairs = Uint32Array.from(pairs);
    this.#places = Uint32Array.from(places);
    this.weights = new RealTable(memory, 1, 'float64');
    this.weights.reset(this.labels.length, 1);
    this.dense = new RealTable(memory, width, 'float64');
    this.dense.reset(rows, width);
  }

  /** Pairs of a feature and a label. */
  get size(): number {
    return this.labels.length;
  }

  /** Takes the weights that a vector begins with. */
  set(vector: Float64Array): void {
    this.weights.view.set(vector.subarray(0, this.size));
    const dense = this.dense.view;
    const pairs = this.#pairs;
    const places = this.#places;
    for (let i = 0; i < pairs.length; i += 1) dense[places[i]!] = vector[pairs[i]!]!;
  }

  /** Adds what was gathered in dense rows to the pairs that they stand for. */
  fold(dense: RealTable, pairs: RealTable): void {
    const from = dense.view;
    const into = pairs.view;
    for (let i = 0; i < this.#pairs.length; i += 1) {
      into[this.#pairs[i]!]! += from[this.#places[i]!]!;
    }
  }
}
