import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * The two sweeps of `ConditionalMarginals` over the results of scaled forward-backward. A label
 * pair's value is a product of three factors, so L divisions per token suffice, and the shared
 * factor is multiplied in after pairs are summed over the sentence:
 *
 *     before_{t-1}(y') p(y | y') = [before_{t-1}(y') / (c_t beta_{t-1}(y'))] exp(a) [exp(e_t(y)) beta_t(y)]
 *     after_t(y) p(y' | y) = [alpha_{t-1}(y')] exp(a) [after_t(y) exp(e_t(y)) / (c_t alpha_t(y))]
 *
 * Cost O(T L^2).
 */
export class ScaledConditionals {
  readonly #lattice: Lattice;
  #left = new Float64Array(0);
  #right = new Float64Array(0);
  #flow = new Float64Array(0);
  /** Sums of left times right over the tokens that share one exp(a). */
  #products = new Float64Array(0);
  /** Sums of left times right for one token with its own table. */
  #own = new Float64Array(0);

  constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /**
   * Adds the contributions of earlier tokens to `before` and those of later tokens to `after`, both
   * `[T x width]` and initialised to the sources, and adds the pairs to `sums`; pairs of a token
   * with its own table are subtracted from that table.
   *
   * @param first the sentence's first token in the batch
   */
  sweep(
    first: number,
    length: number,
    before: Float64Array,
    after: Float64Array,
    sums: Float64Array,
  ): void {
    const { width, matrixSize, expTransitions } = this.#lattice;
    if (this.#products.length !== matrixSize) {
      this.#left = new Float64Array(width);
      this.#right = new Float64Array(width);
      this.#flow = new Float64Array(width);
      this.#products = new Float64Array(matrixSize);
      this.#own = new Float64Array(matrixSize);
    }
    const products = this.#products.fill(0);
    this.#forward(first, length, before, sums);
    this.#backward(first, length, after, sums);
    const shared = expTransitions.view;
    for (let i = 0; i < matrixSize; i += 1) sums[i]! += products[i]! * shared[i]!;
  }

  #forward(first: number, length: number, before: Float64Array, sums: Float64Array): void {
    const { labels, width, matrixSize, edgeSlots } = this.#lattice;
    const betas = this.#lattice.beta.view;
    const emissions = this.#lattice.expEmissions.view;
    const scales = this.#lattice.scales.view;
    const shared = this.#lattice.expTransitions.view;
    const tables = this.#lattice.expEdges.view;
    const left = this.#left;
    const right = this.#right;
    const flow = this.#flow;
    for (let k = 1; k < length; k += 1) {
      const row = k * width;
      const at = (first + k) * width;
      const scale = scales[first + k]!;
      for (let y = 0; y < labels; y += 1) {
        left[y] = before[row - width + y]! / (scale * betas[at - width + y]!);
        right[y] = emissions[at + y]! * betas[at + y]!;
      }
      flow.fill(0);
      const slot = edgeSlots[first + k]!;
      const products = slot < 0 ? this.#products : this.#own.fill(0);
      multiply(
        left,
        slot < 0 ? shared : tables,
        Math.max(0, slot) * matrixSize,
        flow,
        labels,
        width,
      );
      addProducts(left, right, products, labels, width);
      for (let y = 0; y < labels; y += 1) before[row + y]! += flow[y]! * right[y]!;
      if (slot >= 0) this.#takeOwn(slot, sums);
    }
  }

  #backward(first: number, length: number, after: Float64Array, sums: Float64Array): void {
    const { labels, width, matrixSize, edgeSlots } = this.#lattice;
    const alphas = this.#lattice.alpha.view;
    const emissions = this.#lattice.expEmissions.view;
    const scales = this.#lattice.scales.view;
    const shared = this.#lattice.expTransitions.view;
    const tables = this.#lattice.expEdges.view;
    const left = this.#left;
    const right = this.#right;
    for (let k = length - 1; k > 0; k -= 1) {
      const row = k * width;
      const at = (first + k) * width;
      const scale = scales[first + k]!;
      for (let y = 0; y < labels; y += 1) {
        left[y] = alphas[at - width + y]!;
        right[y] = (after[row + y]! * emissions[at + y]!) / (scale * alphas[at + y]!);
      }
      const slot = edgeSlots[first + k]!;
      const matrix = slot < 0 ? shared : tables;
      const base = Math.max(0, slot) * matrixSize;
      for (let from = 0; from < labels; from += 1) {
        let sum = 0;
        for (let y = 0, i = base + from * width; y < labels; y += 1, i += 1) {
          sum += matrix[i]! * right[y]!;
        }
        after[row - width + from]! += left[from]! * sum;
      }
      const products = slot < 0 ? this.#products : this.#own.fill(0);
      addProducts(left, right, products, labels, width);
      if (slot >= 0) this.#takeOwn(slot, sums);
    }
  }

  /** Completes the pairs of the token whose table is number `slot`. */
  #takeOwn(slot: number, sums: Float64Array): void {
    const { matrixSize, expEdges, edges } = this.#lattice;
    const table = expEdges.view;
    const pairs = edges.view;
    const own = this.#own;
    for (let i = 0, at = slot * matrixSize; i < matrixSize; i += 1, at += 1) {
      const pair = own[i]! * table[at]!;
      sums[i]! += pair;
      pairs[at]! -= pair;
    }
  }
}

/** Computes flow = left exp(a). */
function multiply(
  left: Float64Array,
  matrix: Reals,
  base: number,
  flow: Float64Array,
  labels: number,
  width: number,
): void {
  for (let from = 0; from < labels; from += 1) {
    const mass = left[from]!;
    for (let y = 0, i = base + from * width; y < labels; y += 1, i += 1) {
      flow[y]! += mass * matrix[i]!;
    }
  }
}

function addProducts(
  left: Float64Array,
  right: Float64Array,
  products: Float64Array,
  labels: number,
  width: number,
): void {
  for (let from = 0; from < labels; from += 1) {
    const mass = left[from]!;
    for (let y = 0, i = from * width; y < labels; y += 1, i += 1) {
      products[i]! += mass * right[y]!;
    }
  }
}
