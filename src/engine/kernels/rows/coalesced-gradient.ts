import type { Contribution } from '../../core/training/contribution.js';
import type { ParameterStore } from '../store/parameter-store.js';

/** A list of a table's rows, each at most once, with a number for each lane. Memory is reused. */
export class GradientRows {
  /** Number of lanes per row. */
  size = 1;
  /** Number of listed rows. */
  count = 0;
  rows: Int32Array = new Int32Array(64);
  /** `[count x size]`: the sums. */
  sums: Float64Array = new Float64Array(64);
  /** Position of each table row in the list, from 1; 0 if it is not listed. */
  #places = new Int32Array(64);

  /** Empties the list, for a table of `tableRows` rows. Cost O(previously listed rows). */
  clear(size: number, tableRows: number): void {
    for (let i = 0; i < this.count; i += 1) this.#places[this.rows[i]!] = 0;
    this.count = 0;
    this.size = size;
    if (this.#places.length >= tableRows) return;
    this.#places = new Int32Array(Math.max(tableRows, 2 * this.#places.length));
  }

  /** Returns where the sums of a row start; lists the row with zeros if necessary. */
  at(row: number): number {
    const place = this.#places[row]!;
    if (place > 0) return (place - 1) * this.size;
    const start = this.count * this.size;
    if (this.count === this.rows.length) {
      const rows = new Int32Array(2 * this.count);
      rows.set(this.rows);
      this.rows = rows;
    }
    if (start + this.size > this.sums.length) {
      const sums = new Float64Array(2 * (start + this.size));
      sums.set(this.sums.subarray(0, start));
      this.sums = sums;
    }
    this.sums.fill(0, start, start + this.size);
    this.rows[this.count] = row;
    this.count += 1;
    this.#places[row] = this.count;
    return start;
  }

  /**
   * Zeroes the lanes that cannot have a weight, those without a 1 in `allowed`, which has the table's
   * layout.
   */
  mask(allowed: Uint8Array): void {
    const { size, sums } = this;
    for (let i = 0; i < this.count; i += 1) {
      const row = this.rows[i]! * size;
      for (let y = 0; y < size; y += 1) if (allowed[row + y] !== 1) sums[i * size + y] = 0;
    }
  }

  /** Returns the sum of squares. */
  squaredNorm(): number {
    let sum = 0;
    const end = this.count * this.size;
    for (let i = 0; i < end; i += 1) sum += this.sums[i]! * this.sums[i]!;
    return sum;
  }

  /** Returns the inner product with the same rows of a table. */
  dot(table: ArrayLike<number>): number {
    const { size, sums } = this;
    let sum = 0;
    for (let i = 0; i < this.count; i += 1) {
      const row = this.rows[i]! * size;
      for (let y = 0; y < size; y += 1) sum += sums[i * size + y]! * table[row + y]!;
    }
    return sum;
  }
}

/** The tables of a plane, in the order in which parameters are summed. */
export const tables = ['state', 'edges', 'pairs'] as const;

/**
 * The gradient of one sentence, by parameter:
 *
 *     g[f][y] = sum over the tokens t with f active of value(f, t) * residual[t][y]
 *
 * In residual form a feature occurs once per token at which it is active; squaring, or comparison with
 * other parameters, needs the sum. Rows are those of the store's tables, with blocks of edge features
 * as rows and pairs as rows of one lane. Rows whose residuals are all 0 are omitted.
 */
export class CoalescedGradient {
  readonly state = new GradientRows();
  readonly edges = new GradientRows();
  readonly pairs = new GradientRows();

  /** Computes the gradient of sentence `s`. Cost O(active features * L + L^2). */
  gather(store: ParameterStore, contribution: Contribution, s: number): void {
    const { support, width, matrixSize } = store;
    this.#clear(store);
    this.#gatherState(contribution, s, width);
    const { sentenceStarts, edgeStarts } = contribution.minibatch;
    if (store.scoresTransitions(sentenceStarts[s + 1]! - sentenceStarts[s]!)) {
      this.#gatherTransitions(contribution, s, matrixSize);
    }
    if (support !== undefined) this.edges.mask(support.transitions);
    if (edgeStarts !== undefined) this.#gatherEdges(store, contribution, s);
    if (support !== undefined) this.state.mask(support.state);
  }

  /** Computes the gradient of the edge features of sentence `s`, without the plain transitions. */
  gatherEdges(store: ParameterStore, contribution: Contribution, s: number): void {
    this.#clear(store);
    this.#gatherEdges(store, contribution, s);
  }

  #clear(store: ParameterStore): void {
    this.state.clear(store.width, store.stateRows);
    this.edges.clear(store.matrixSize, store.hasEdgeBlocks ? store.edgeRows : 1);
    this.pairs.clear(1, store.pairs.size);
  }

  /** Returns the sum of squares over all parameters. */
  squaredNorm(): number {
    return this.state.squaredNorm() + this.edges.squaredNorm() + this.pairs.squaredNorm();
  }

  /**
   * Returns the inner product with the weights: the change in the sentence's score per unit step.
   */
  dotWeights({ weights, scale }: ParameterStore): number {
    let sum = 0;
    for (const table of tables) sum += this[table].dot(weights[table].view);
    return scale * sum;
  }

  #gatherState({ minibatch, residual }: Contribution, s: number, width: number): void {
    const { sentenceStarts, stateStarts, stateRows, stateValues } = minibatch;
    const { state } = this;
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      const token = t * width;
      if (allZero(residual, token, width)) continue;
      for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
        const value = stateValues === undefined ? 1 : stateValues[k]!;
        const at = state.at(stateRows[k]!);
        const { sums } = state;
        for (let y = 0; y < width; y += 1) sums[at + y]! += value * residual[token + y]!;
      }
    }
  }

  #gatherTransitions({ transitionResidual }: Contribution, s: number, matrixSize: number): void {
    if (allZero(transitionResidual, s * matrixSize, matrixSize)) return;
    const at = this.edges.at(0);
    const { sums } = this.edges;
    for (let i = 0; i < matrixSize; i += 1)
      sums[at + i]! += transitionResidual[s * matrixSize + i]!;
  }

  #gatherEdges(store: ParameterStore, contribution: Contribution, s: number): void {
    const { minibatch, edgeResidual, edgeSlots } = contribution;
    const { sentenceStarts, edgeValues } = minibatch;
    const edgeStarts = minibatch.edgeStarts!;
    const edgeRows = minibatch.edgeRows!;
    const { matrixSize } = store;
    for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
      const matrix = edgeSlots[t]! * matrixSize;
      if (matrix < 0) continue;
      if (store.hasEdgeBlocks && allZero(edgeResidual, matrix, matrixSize)) continue;
      for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
        const value = edgeValues === undefined ? 1 : edgeValues[k]!;
        if (!store.hasEdgeBlocks) {
          this.#gatherPairs(store, edgeRows[k]!, contribution, matrix, value);
          continue;
        }
        const at = this.edges.at(edgeRows[k]!);
        const { sums } = this.edges;
        for (let i = 0; i < matrixSize; i += 1) sums[at + i]! += value * edgeResidual[matrix + i]!;
      }
    }
  }

  #gatherPairs(
    { pairs, width }: ParameterStore,
    feature: number,
    { edgeResidual }: Contribution,
    matrix: number,
    value: number,
  ): void {
    const { heads, from, to, next } = pairs;
    for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
      const residual = edgeResidual[matrix + from[pair]! * width + to[pair]!]!;
      if (residual === 0) continue;
      const at = this.pairs.at(pair);
      this.pairs.sums[at]! += value * residual;
    }
  }
}

function allZero(numbers: ArrayLike<number>, start: number, count: number): boolean {
  for (let i = start; i < start + count; i += 1) if (numbers[i] !== 0) return false;
  return true;
}
