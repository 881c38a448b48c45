import { logSum } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * Scores label sequences whose labels have hidden states:
 *
 *     score(y) = log of the sum of exp(score(h)) over all state sequences h of these labels,
 *
 * so that p(y | x) = exp(score(y)) / Z. Recursion in log space, in float64; cost O(T H^2)
 * exponentials for H states.
 */
export class LabelScore {
  readonly #states: number;
  /** The states of the previous token, and of the current one. */
  #before: Float64Array;
  #here: Float64Array;

  /** @param states number of states per label, numbered consecutively */
  constructor(states: number) {
    this.#states = states;
    this.#before = new Float64Array(states);
    this.#here = new Float64Array(states);
  }

  /**
   * Returns the score of the labels of sentence `s`, from the scores of the lattice.
   *
   * @param labels first state of each token's label; the sentence's labels begin at `from`
   */
  of(lattice: Lattice, s: number, labels: Int32Array, from: number): number {
    const states = this.#states;
    const { sentenceStarts } = lattice.batch!;
    const first = sentenceStarts[s]!;
    const length = sentenceStarts[s + 1]! - first;
    const { width, matrixSize, edgeSlots } = lattice;
    const emissions = lattice.emissionScores.view;
    const plain = lattice.transitionScores.view;
    const conditioned = lattice.edgeScores.view;
    for (let t = 0; t < length; t += 1) {
      const row = (first + t) * width + labels[from + t]!;
      const here = this.#here;
      if (t === 0) {
        for (let h = 0; h < states; h += 1) here[h] = emissions[row + h]!;
      } else {
        const slot = edgeSlots[first + t]!;
        const matrix = slot < 0 ? plain : conditioned;
        const base = Math.max(0, slot) * matrixSize + labels[from + t - 1]! * width;
        for (let h = 0; h < states; h += 1) {
          const into = base + labels[from + t]! + h;
          here[h] = this.#sumInto(matrix, into, width) + emissions[row + h]!;
        }
      }
      this.#here = this.#before;
      this.#before = here;
    }
    return logSum(this.#before);
  }

  /**
   * Returns the log of the sum over previous states of exp(score so far + transition), with stride
   * `width`.
   */
  #sumInto(matrix: ArrayLike<number>, at: number, width: number): number {
    const before = this.#before;
    let most = Number.NEGATIVE_INFINITY;
    for (let g = 0; g < before.length; g += 1) {
      most = Math.max(most, before[g]! + matrix[at + g * width]!);
    }
    if (most === Number.NEGATIVE_INFINITY) return most;
    let sum = 0;
    for (let g = 0; g < before.length; g += 1) {
      sum += Math.exp(before[g]! + matrix[at + g * width]! - most);
    }
    return most + Math.log(sum);
  }
}
