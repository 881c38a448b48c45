import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** The weights of an edge feature that are not zero. */
interface ActiveWeights {
  /** Places in a matrix of labels by labels. */
  readonly cells: Uint32Array;
  readonly weights: Float64Array;
}

/**
 * Sums weights of edge features, whole blocks of them or single pairs, over the label pairs that have any. What is not
 * zero of a feature is found once, until it is forgotten.
 */
export class EdgeScores {
  /** Label pairs that have a score, `cells[0..count)`, in the order in which features bring them. */
  count = 0;
  readonly cells: Uint32Array;
  /** `[labels x labels]` the scores of those. */
  readonly sums: Float64Array;
  readonly #store: ParameterStore;
  readonly #labels: number;
  readonly #rows = new Map<number, ActiveWeights>();
  /** Which sum a cell was last of. */
  readonly #marks: Uint32Array;
  #mark = 0;
  /** Room for the weights of a feature. */
  readonly #foundCells: Uint32Array;
  readonly #found: Float64Array;

  constructor(store: ParameterStore) {
    this.#store = store;
    this.#labels = store.labels;
    const size = store.labels * store.labels;
    this.cells = new Uint32Array(size);
    this.sums = new Float64Array(size);
    this.#marks = new Uint32Array(size);
    this.#foundCells = new Uint32Array(size);
    this.#found = new Float64Array(size);
  }

  /** All weights may have changed. */
  forget(): void {
    this.#rows.clear();
  }

  /** Those of one feature. */
  forgetRow(row: number): void {
    this.#rows.delete(row);
  }

  /** Starts with the plain transitions. */
  begin(): void {
    this.count = 0;
    this.#mark += 1;
    if (this.#mark === 2 ** 32) {
      this.#marks.fill(0);
      this.#mark = 1;
    }
    this.add(0, 1);
  }

  /** Adds the weights of a feature. Cost O(those that are not zero). */
  add(row: number, value: number): void {
    let active = this.#rows.get(row);
    if (active === undefined) {
      active = this.#activeOf(row);
      this.#rows.set(row, active);
    }
    const { cells, weights } = active;
    for (let k = 0; k < cells.length; k += 1) {
      const cell = cells[k]!;
      if (this.#marks[cell] !== this.#mark) {
        this.#marks[cell] = this.#mark;
        this.cells[this.count] = cell;
        this.count += 1;
        this.sums[cell] = 0;
      }
      this.sums[cell]! += value * weights[k]!;
    }
  }

  #activeOf(row: number): ActiveWeights {
    const { hasEdgeBlocks, pairs, weights, width, matrixSize } = this.#store;
    const labels = this.#labels;
    const cells = this.#foundCells;
    const found = this.#found;
    let n = 0;
    if (row > 0 && !hasEdgeBlocks) {
      const table = weights.pairs.view;
      for (let slot = pairs.heads[row]!; slot >= 0; slot = pairs.next[slot]!) {
        if (table[slot] === 0) continue;
        cells[n] = pairs.from[slot]! * labels + pairs.to[slot]!;
        found[n] = table[slot]!;
        n += 1;
      }
    } else {
      const table = weights.edges.view;
      for (let from = 0; from < labels; from += 1) {
        const at = row * matrixSize + from * width;
        for (let y = 0; y < labels; y += 1) {
          if (table[at + y] === 0) continue;
          cells[n] = from * labels + y;
          found[n] = table[at + y]!;
          n += 1;
        }
      }
    }
    return { cells: cells.slice(0, n), weights: found.slice(0, n) };
  }
}
