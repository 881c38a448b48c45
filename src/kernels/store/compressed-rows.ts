import type { LinearMemory } from '../memory/linear-memory.js';
import { RealTable } from '../memory/real-table.js';

/** Sums, laid out like the weights. */
export interface SumsOfRows {
  readonly state: RealTable;
  readonly dense: RealTable;
}

/**
 * A feature gets a dense row if it has a pair for one in this many lanes: then vectors are faster.
 */
const lanesPerPair = 4;

/**
 * State weights of only the supported pairs of some features, in float64 whatever the precision of a
 * kernel. The features are renumbered in ascending order: number n has the pairs `[starts[n],
 * starts[n + 1])`, each with its label, ascending, and its weight.
 *
 * A feature with many labels has a row of `width` lanes instead.
 */
export class CompressedRows {
  readonly memory: LinearMemory;
  readonly starts: Uint32Array;
  readonly labels: Uint16Array;
  /** For each number its dense row, or -1. */
  readonly denseRows: Int32Array;
  /** A weight for each pair. */
  readonly weights: RealTable;
  readonly dense: RealTable;
  /** Offset of the weights in the vector of free parameters: those of the pairs, then of dense rows. */
  free: Uint32Array;
  /** Places of the second part in the dense rows. */
  readonly #denseFree: Uint32Array;
  readonly #features: Uint32Array;
  readonly #stateRows: number;
  #numbers: Int32Array | undefined;

  /**
   * @param features rising
   * @param pairStarts of the shape
   * @param width lanes of a dense row
   */
  constructor(
    shape: SupportedPairs,
    features: Uint32Array,
    pairStarts: Uint32Array,
    memory: LinearMemory,
    width: number,
  ) {
    const pairsOf = (row: number) => pairStarts[row + 1]! - pairStarts[row]!;
    const isDense = (row: number) => pairsOf(row) * lanesPerPair >= width;
    let pairs = 0;
    let densePairs = 0;
    for (const row of features) {
      if (isDense(row)) densePairs += pairsOf(row);
      else pairs += pairsOf(row);
    }
    this.memory = memory;
    this.#features = features;
    this.#stateRows = shape.stateRows;
    this.starts = new Uint32Array(features.length + 1);
    this.labels = new Uint16Array(pairs);
    this.denseRows = new Int32Array(features.length).fill(-1);
    this.free = new Uint32Array(pairs + densePairs);
    this.#denseFree = new Uint32Array(densePairs);
    let rows = 0;
    let next = 0;
    let denseNext = 0;
    for (let number = 0; number < features.length; number += 1) {
      const row = features[number]!;
      const dense = isDense(row);
      if (dense) this.denseRows[number] = rows;
      let at = pairStarts[row]!;
      for (let y = 0; y < shape.labels; y += 1) {
        if (shape.support !== undefined && shape.support.state[row * shape.width + y] === 0)
          continue;
        if (dense) {
          this.#denseFree[denseNext] = rows * width + y;
          this.free[pairs + denseNext] = at;
          denseNext += 1;
        } else {
          this.labels[next] = y;
          this.free[next] = at;
          next += 1;
        }
        at += 1;
      }
      if (dense) rows += 1;
      this.starts[number + 1] = next;
    }
    this.weights = new RealTable(memory, 1, 'float64');
    this.weights.reset(pairs, 1);
    this.dense = new RealTable(memory, width, 'float64');
    this.dense.reset(rows, width);
  }

  /** The number of each feature, or -1; cached on first use. */
  get numbers(): Int32Array {
    this.#numbers ??= this.numbering();
    return this.#numbers;
  }

  /** The same for a single use, uncached: it has an entry for each feature of the shape. */
  numbering(): Int32Array {
    const numbers = new Int32Array(this.#stateRows).fill(-1);
    for (let n = 0; n < this.#features.length; n += 1) numbers[this.#features[n]!] = n;
    return numbers;
  }

  /** Pairs that are not in dense rows. */
  get size(): number {
    return this.labels.length;
  }

  /** Reads its weights from a vector of free parameters. */
  set(vector: Float64Array): void {
    const { free, size } = this;
    const places = this.#denseFree;
    const weights = this.weights.view;
    const dense = this.dense.view;
    for (let i = 0; i < size; i += 1) weights[i] = vector[free[i]!]!;
    for (let i = 0; i < places.length; i += 1) dense[places[i]!] = vector[free[size + i]!]!;
  }

  /** The sums of a plane, in the order of `free`. */
  gather(plane: SumsOfRows, sums: Float64Array): void {
    const { size } = this;
    const places = this.#denseFree;
    const dense = plane.dense.view;
    sums.set(plane.state.view);
    for (let i = 0; i < places.length; i += 1) sums[size + i] = dense[places[i]!]!;
  }
}

/** Which pairs of a state feature and a label there are. */
export interface SupportedPairs {
  readonly labels: number;
  /** Lanes in a row of `support`. */
  readonly width: number;
  readonly stateRows: number;
  /** A byte for each pair and plain transition that may have a weight; absent if all may. */
  readonly support: { readonly state: Uint8Array; readonly transitions: Uint8Array } | undefined;
}
