import * as z from 'zod';
import type { VectorSpace } from '../space/vector-space.js';
import type { NarrowTable } from '../space/vector-tables.js';

/** A step and the difference between the gradients at its ends. */
interface Pair {
  readonly step: Uint16Array;
  readonly difference: Uint16Array;
}

/** The inner products of a pair's difference with itself and earlier pairs, oldest first. */
interface PairProducts {
  /** Products of their steps with its difference. */
  readonly steps: number[];
  /** Products of their differences with its difference. */
  readonly differences: number[];
}

/**
 * The last pairs of steps and gradient differences, which implicitly define an approximation H of the inverse
 * Hessian. All vectors belong to one space.
 *
 * Pairs are stored in bfloat16, because they only determine the direction; products use the rounded numbers, summed
 * in float64, so H stays symmetric and positive definite. The two-loop recursion of Nocedal and Wright, Numerical
 * Optimization (2006), algorithm 7.4, works on these products alone, so the pairs are read only twice: for their
 * products with a vector, and for the final sum. Nocedal (1980); Chen, Wang and Zhou, Large-scale L-BFGS using
 * MapReduce (2014).
 */
export class LimitedMemory {
  readonly #space: VectorSpace;
  readonly #most: number;
  readonly #scale: Scale | undefined;
  readonly #table: NarrowTable;
  #pairs: Pair[] = [];
  /** Products of the measured pairs; the newest pair is measured when H is applied. */
  #products: PairProducts[] = [];
  /** A dropped pair whose memory can be reused. */
  #spare: Pair | undefined;

  /**
   * @param most maximum number of pairs
   * @param diagonal initial diagonal of H, positive; default: the identity
   */
  constructor(space: VectorSpace, most: number, diagonal?: Float64Array) {
    this.#space = space;
    this.#most = most;
    this.#scale = diagonal === undefined ? undefined : new Scale(space, diagonal);
    this.#table = space.narrowTable(2 * most);
  }

  /** Whether there are no pairs yet. */
  get isEmpty(): boolean {
    return this.#pairs.length === 0;
  }

  /** The pairs, oldest first: step, difference, step, difference, ... */
  get vectors(): readonly Uint16Array[] {
    return this.#pairs.flatMap(({ step, difference }) => [step, difference]);
  }

  /** Restores saved pairs, given in any memory in the order of `vectors`. */
  restore(vectors: readonly Uint16Array[]): void {
    this.clear();
    for (let i = 0; i + 1 < vectors.length; i += 2) {
      const pair = this.#room();
      pair.step.set(vectors[i]!);
      pair.difference.set(vectors[i + 1]!);
      this.#pairs.push(pair);
    }
  }

  /** Drops all pairs, and frees their memory. */
  clear(): void {
    const spare = this.#spare === undefined ? [] : [this.#spare];
    this.#spare = undefined;
    for (const { step, difference } of [...this.#pairs, ...spare]) {
      this.#space.free(step);
      this.#space.free(difference);
    }
    this.#pairs = [];
    this.#products = [];
  }

  /**
   * Adds the pair `to - from` of weights and of gradients, dropping the oldest pair if there are too many. A pair
   * without positive curvature is skipped, because H would not remain positive definite.
   */
  addMove(
    weights: { readonly from: Float64Array; readonly to: Float64Array },
    gradients: { readonly from: Float64Array; readonly to: Float64Array },
  ): void {
    const space = this.#space;
    const table = this.#table;
    const pair = this.#room();
    const { step, difference } = pair;
    let square: number;
    if (this.#scale === undefined) {
      space.narrow(step, weights.to, weights.from);
      square = space.narrow(difference, gradients.to, gradients.from);
    } else {
      this.#scale.narrowStep(step, weights.to, weights.from);
      square = this.#scale.narrowDifference(difference, gradients.to, gradients.from);
    }
    table.addresses[0] = step.byteOffset;
    const [curvature] = space.products(table, 1, difference, gradients.to);
    if (!(curvature! > 1e-12 * square)) {
      this.#spare = pair;
      return;
    }
    this.#pairs.push(pair);
    if (this.#pairs.length <= this.#most) return;
    this.#spare = this.#pairs.shift();
    this.#products.shift();
    for (const { steps, differences } of this.#products) {
      steps.shift();
      differences.shift();
    }
  }

  #room(): Pair {
    const space = this.#space;
    const room = this.#spare ?? { step: space.narrowVector(), difference: space.narrowVector() };
    this.#spare = undefined;
    return room;
  }

  /** Computes vector = H vector, in place. Cost O(pairs * size). */
  apply(vector: Float64Array): void {
    const scale = this.#scale;
    scale?.apply(vector);
    if (this.#pairs.length > 0) this.#applyPairs(vector);
    scale?.apply(vector);
  }

  #applyPairs(vector: Float64Array): void {
    const table = this.#table;
    const count = this.#pairs.length;
    this.#pairs.forEach(({ step, difference }, i) => {
      table.addresses[2 * i] = step.byteOffset;
      table.addresses[2 * i + 1] = difference.byteOffset;
    });
    const sums = this.#measure(vector);
    const products = this.#products;
    const last = products[count - 1]!;
    const gamma = last.steps[count - 1]! / last.differences[count - 1]!;
    const alphas = new Float64Array(count);
    for (let i = count - 1; i >= 0; i -= 1) {
      let product = sums[4 * i + 1]!;
      for (let j = count - 1; j > i; j -= 1) product -= alphas[j]! * products[j]!.steps[i]!;
      alphas[i] = product / products[i]!.steps[i]!;
    }
    const { factors } = table;
    for (let i = 0; i < count; i += 1) {
      let product = sums[4 * i + 3]!;
      for (let j = 0; j < count; j += 1) {
        product -= alphas[j]! * products[Math.max(i, j)]!.differences[Math.min(i, j)]!;
      }
      product *= gamma;
      for (let j = 0; j < i; j += 1) product += factors[2 * j]! * products[i]!.steps[j]!;
      factors[2 * i] = alphas[i]! - product / products[i]!.steps[i]!;
    }
    for (let i = 0; i < count; i += 1) factors[2 * i + 1] = -gamma * alphas[i]!;
    this.#space.mix(vector, gamma, table, 2 * count);
  }

  /**
   * Measures new pairs; returns the inner products of all steps and differences with the last difference and with
   * the vector, in turn.
   */
  #measure(vector: Float64Array): Float64Array {
    const count = this.#pairs.length;
    let sums: Float64Array = new Float64Array(0);
    for (let j = Math.min(this.#products.length, count - 1); j < count; j += 1) {
      const { difference } = this.#pairs[j]!;
      sums = this.#space.products(this.#table, 2 * (j + 1), difference, vector);
      const every = Array.from({ length: j + 1 }, (_, i) => i);
      this.#products[j] = {
        steps: every.map(i => sums[4 * i]!),
        differences: every.map(i => sums[4 * i + 2]!),
      };
    }
    return sums;
  }
}

/** Coordinates in which a diagonal is the identity: weights divided by its root, gradients multiplied by it. */
class Scale {
  readonly #space: VectorSpace;
  readonly #root: Float64Array;
  readonly #inverse: Float64Array;
  readonly #to: Float64Array;
  readonly #from: Float64Array;

  constructor(space: VectorSpace, diagonal: Float64Array) {
    this.#space = space;
    this.#root = space.vector();
    this.#inverse = space.vector();
    this.#to = space.vector();
    this.#from = space.vector();
    for (let i = 0; i < diagonal.length; i += 1) {
      this.#root[i] = Math.sqrt(diagonal[i]!);
      this.#inverse[i] = 1 / this.#root[i]!;
    }
  }

  apply(vector: Float64Array): void {
    this.#space.multiply(vector, this.#root, vector);
  }

  narrowStep(out: Uint16Array, to: Float64Array, from: Float64Array): number {
    return this.#narrow(out, to, from, this.#inverse);
  }

  narrowDifference(out: Uint16Array, to: Float64Array, from: Float64Array): number {
    return this.#narrow(out, to, from, this.#root);
  }

  #narrow(out: Uint16Array, to: Float64Array, from: Float64Array, by: Float64Array): number {
    const space = this.#space;
    space.multiply(this.#to, by, to);
    space.multiply(this.#from, by, from);
    return space.narrow(out, this.#to, this.#from);
  }
}

/** The memory options of limited-memory methods. */
export const historyShape = {
  memory: z
    .int()
    .min(1)
    .max(100)
    .default(6)
    .describe('history size: pairs of steps and gradient differences'),
};
