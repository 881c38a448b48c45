import type { LinearMemory } from '../memory/linear-memory.js';
import { RealTable } from '../memory/real-table.js';

/** Sums, laid out like the weights. */
export interface SumsOfRows {
  readonly state: RealTable;
  readonly dense: RealTable;
}

/**
 * Maximum number of lanes per pair for which a feature gets a dense row, because vectors are then
 * faster.
 */
const lanesPerPair = 4;

/**
 * State weights of some features' supported pairs only, in float64 whatever the kernel's precision.
 * The features are renumbered in ascending order: feature n has the pairs `[starts[n], starts[n +
 * 1])`, each with its label, ascending, and its weight.
 *
 * A feature with many labels has a row of `width` lanes instead.
 */
export class CompressedRows {
  readonly memory: LinearMemory;
  readonly starts: Uint32Array;
  readonly labels: Uint16Array;
  /** The dense row of each renumbered feature, or -1. */
  readonly denseRows: Int32Array;
  /** Weight of each pair. */
  readonly weights: RealTable;
  readonly dense: RealTable;
  /**
   * Places of the weights in the vector of free parameters: those of pairs, then those of dense
   * rows.
   */
  free: Uint32Array;
  /** Places in the dense rows for the second part. */
  readonly #denseFree: Uint32Array;
  readonly #features: Uint32Array;
  readonly #stateRows: number;
  #numbers: Int32Array | undefined;

  /**
   * @param features features, ascending
   * @param pairStarts pair starts of the shape
   * @param width number of lanes of a dense row
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

  /** The new number of each feature, or -1; cached on first use. */
  get numbers(): Int32Array {
    this.#numbers ??= this.numbering();
    return this.#numbers;
  }

  /**
   * Returns the new number of each feature of the shape, or -1, without caching; for a single use.
   */
  numbering(): Int32Array {
    const numbers = new Int32Array(this.#stateRows).fill(-1);
    for (let n = 0; n < this.#features.length; n += 1) numbers[this.#features[n]!] = n;
    return numbers;
  }

  /** Number of pairs outside dense rows. */
  get size(): number {
    return this.labels.length;
  }

  /** Reads the weights from a vector of free parameters. */
  set(vector: Float64Array): void {
    const { free, size } = this;
    const places = this.#denseFree;
    const weights = this.weights.view;
    const dense = this.dense.view;
    for (let i = 0; i < size; i += 1) weights[i] = vector[free[i]!]!;
    for (let i = 0; i < places.length; i += 1) dense[places[i]!] = vector[free[size + i]!]!;
  }

  /** Copies the sums of a plane, in the order of `free`. */
  gather(plane: SumsOfRows, sums: Float64Array): void {
    const { size } = this;
    const places = this.#denseFree;
    const dense = plane.dense.view;
    sums.set(plane.state.view);
    for (let i = 0; i < places.length; i += 1) sums[size + i] = dense[places[i]!]!;
  }
}

/** The existing pairs of state features and labels. */
export interface SupportedPairs {
  readonly labels: number;
  /** Number of lanes per row of `support`. */
  readonly width: number;
  readonly stateRows: number;
  /** A byte per pair and plain transition, 1 if it may have a weight; absent if all may. */
  readonly support: { readonly state: Uint8Array; readonly transitions: Uint8Array } | undefined;
}
