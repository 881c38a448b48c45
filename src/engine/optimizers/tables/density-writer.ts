import type { Reals } from '../../core/arrays.js';
import { Random } from '../../core/random.js';
import type { TableRole } from '../../core/scorer.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { cholesky, floored, inverseOf, logDeterminant } from './positive-definite.js';
import type { RowChains } from './row-chains.js';

/** Options for turning sums over numbers into densities. */
export interface DensityOptions {
  /** Minimum variance of a density of numbers; with covariances, the minimum eigenvalue. */
  readonly varianceFloor: number;
  /** Share by which covariances shrink. */
  readonly shrinkage: number;
}

/** Sums over numbers, and the target of the weights computed from them. */
export interface DensityTables {
  readonly from: Reals;
  readonly to: Reals;
  /** `[lanes]`: token counts. */
  readonly tokens: Float64Array;
  /** `[lanes]`: amount added to the constant of each lane. */
  readonly constants: Float64Array;
}

/**
 * Writes the weights of Gaussian densities: the coefficients of 1, x_i, x_i^2 and x_i x_j in
 *
 *     log N(x; m, S) = - x' S^-1 x / 2 + x' S^-1 m - m' S^-1 m / 2 - log|2 pi S| / 2,
 *
 * one per lane of the parameters: a label, or a component of it. Without templates of products S is diagonal. With them
 * S is the sample covariance, with covariances multiplied by 1 - shrinkage and eigenvalues raised to `varianceFloor`
 * (the maximum likelihood covariance with such eigenvalues); it is inverted through its Cholesky factor. A lane without
 * tokens gets the density of its label, or that of all labels if the label has no tokens either. Components with equal
 * sums are separated: each mean is drawn from the label's density, with the model's seed. Cost O(lanes
 * * columns), with covariances O(lanes * columns^3).
 */
export class DensityWriter {
  readonly #options: DensityOptions;
  readonly #store: ParameterStore;
  readonly #chains: RowChains;
  readonly #columns: readonly string[];
  readonly #isFull: boolean;

  constructor(
    roles: readonly TableRole[],
    options: DensityOptions,
    store: ParameterStore,
    chains: RowChains,
  ) {
    this.#options = options;
    this.#store = store;
    this.#chains = chains;
    this.#columns = roles.flatMap(role => (role.kind === 'value' ? role.column : []));
    this.#isFull = roles.some(({ kind }) => kind === 'product');
  }

  /** Writes the rows of numbers, and adds to the constants. */
  write(tables: DensityTables): void {
    if (this.#isFull) this.#writeBlock(this.#columns, tables);
    else for (const column of this.#columns) this.#writeColumn(column, tables);
  }

  #writeColumn(column: string, { from, to, tokens, constants }: DensityTables): void {
    const { labels, width } = this.#store;
    const value = this.#chains.rowOf('value', column);
    const square = this.#chains.rowOf('square', column);
    const at = (row: number, y: number) => (row < 0 ? 0 : from[row * width + y]!);
    const own: Moments[] = Array.from({ length: labels }, (_, y) => ({
      count: tokens[y]!,
      ...{ sum: at(value, y), squares: at(square, y) },
    }));
    const { varianceFloor } = this.#options;
    const { components } = this;
    const all = gaussianOf(own.reduce(joined, none), varianceFloor);
    for (let first = 0; first < labels; first += components) {
      const lanes = own.slice(first, first + components);
      const label = lanes.reduce(joined, none);
      const pooled = label.count > 0 ? gaussianOf(label, varianceFloor) : all;
      const drawn = this.#draws(
        first,
        lanes.every(lane => isSame(lane, lanes[0]!)),
        column,
      );
      for (const [m, moments] of lanes.entries()) {
        const y = first + m;
        let density: Gaussian = moments.count > 0 ? gaussianOf(moments, varianceFloor) : pooled;
        if (drawn !== undefined) {
          const { mean, variance } = density;
          density = { mean: mean + Math.sqrt(variance) * drawn[m]!, variance };
        }
        const weights = gaussianWeights(density);
        constants[y]! += weights.constant;
        if (value >= 0) to[value * width + y] = weights.value;
        if (square >= 0) to[square * width + y] = weights.square;
      }
    }
  }

  #writeBlock(columns: readonly string[], { from, to, tokens, constants }: DensityTables): void {
    const { labels, width } = this.#store;
    const chains = this.#chains;
    const { components } = this;
    const n = columns.length;
    const size = 1 + n + n * n;
    const values = columns.map(column => chains.rowOf('value', column));
    const rows = columns.flatMap((a, i) =>
      columns.map((b, j) => (i === j ? chains.rowOf('square', a) : chains.productRow(a, b))),
    );
    const at = (row: number, y: number) => (row < 0 ? 0 : from[row * width + y]!);
    /** For each lane: the token count, the sums of numbers and the sums of products. */
    const sums = Array.from({ length: labels }, (_, y) =>
      Float64Array.of(tokens[y]!, ...values.map(row => at(row, y)), ...rows.map(row => at(row, y))),
    );
    const total = (lanes: readonly Float64Array[]) => {
      const sum = new Float64Array(size);
      for (const lane of lanes) for (let i = 0; i < size; i += 1) sum[i]! += lane[i]!;
      return sum;
    };
    const all = total(sums);
    for (let first = 0; first < labels; first += components) {
      const lanes = sums.slice(first, first + components);
      const label = total(lanes);
      const pooled = label[0]! > 0 ? label : all;
      const alike = lanes.every(lane => lane.every((sum, i) => sum === lanes[0]![i]!));
      for (const [m, lane] of lanes.entries()) {
        const y = first + m;
        const { mean, factor } = this.#density(lane[0]! > 0 ? lane : pooled, n);
        columns.forEach((column, i) => {
          const drawn = this.#draws(first, alike, column);
          if (drawn === undefined) return;
          // Normal numbers times the factor: means are distributed like the column values.
          for (let k = i; k < n; k += 1) mean[k]! += factor[k * n + i]! * drawn[m]!;
        });
        const inverse = inverseOf(factor, n);
        let constant = (-n * Math.log(2 * Math.PI) - logDeterminant(factor, n)) / 2;
        for (let i = 0; i < n; i += 1) {
          let value = 0;
          for (let j = 0; j < n; j += 1) value += inverse[i * n + j]! * mean[j]!;
          constant -= (value * mean[i]!) / 2;
          if (values[i]! >= 0) to[values[i]! * width + y] = value;
          for (let j = i; j < n; j += 1) {
            const row = rows[i * n + j]!;
            const weight = inverse[i * n + j]!;
            if (row >= 0) to[row * width + y] = i === j ? -weight / 2 : -weight;
          }
        }
        constants[y]! += constant;
      }
    }
  }

  /** Number of components per label, in adjacent lanes. */
  get components(): number {
    return this.#store.layout.components?.count ?? 1;
  }

  /** Returns the mean and the Cholesky factor of the covariance; 0 and 1 if there is no token. */
  #density(sums: Float64Array, n: number): { mean: Float64Array; factor: Float64Array } {
    const { varianceFloor, shrinkage } = this.#options;
    const count = sums[0]!;
    const mean = new Float64Array(n);
    const covariance = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) {
      if (count > 0) mean[i] = sums[1 + i]! / count;
    }
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        const sample = count > 0 ? sums[1 + n + i * n + j]! / count - mean[i]! * mean[j]! : 0;
        if (i !== j) covariance[i * n + j] = (1 - shrinkage) * sample;
        else covariance[i * n + j] = count > 0 ? sample : 1;
      }
    }
    const factor = new Float64Array(n * n);
    cholesky(floored(covariance, n, varianceFloor), n, factor);
    return { mean, factor };
  }

  /** Returns a standard normal number for each component of a label, if its components must be separated. */
  #draws(first: number, alike: boolean, column: string): Float64Array | undefined {
    const { components } = this.#store.layout;
    if (components === undefined || !alike) return undefined;
    const seed = components.seed + 7919 * first + 104_729 * this.#columns.indexOf(column);
    const random = new Random(seed);
    return Float64Array.from({ length: components.count }, () => random.normal());
  }
}

const none: Moments = { count: 0, sum: 0, squares: 0 };

function isSame(one: Moments, other: Moments): boolean {
  return one.count === other.count && one.sum === other.sum && one.squares === other.squares;
}

function joined(one: Moments, other: Moments): Moments {
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
  };
}

/** Moments of numbers: count, sum, sum of squares. */
export interface Moments {
  readonly count: number;
  readonly sum: number;
  readonly squares: number;
}

/** A Gaussian density. */
export interface Gaussian {
  readonly mean: number;
  readonly variance: number;
}

/** The logarithm of a density as coefficients of 1, x and x^2. */
export interface GaussianWeights {
  readonly constant: number;
  readonly value: number;
  readonly square: number;
}

/**
 * Returns the maximum likelihood mean = sum / n and variance = sum of squares / n - mean^2, raised to `floor`; 0 and 1
 * if there is no number. The variance loses as many of its 16 digits as mean^2 / variance has before the decimal point.
 *
 * @example
 * gaussianOf({ count: 2, sum: 4, squares: 10 }, 1e-6) // => { mean: 2, variance: 1 }
 */
export function gaussianOf({ count, sum, squares }: Moments, floor: number): Gaussian {
  if (count <= 0) return { mean: 0, variance: Math.max(1, floor) };
  const mean = sum / count;
  return { mean, variance: Math.max(squares / count - mean * mean, floor) };
}

/**
 * Returns log N(x; m, v) = -x^2 / 2v + x m / v - m^2 / 2v - log(2 pi v) / 2, as coefficients of x^2, x and 1.
 *
 * @example
 * gaussianWeights({ mean: 2, variance: 1 }).value // => 2
 */
export function gaussianWeights({ mean, variance }: Gaussian): GaussianWeights {
  return {
    constant: -(mean * mean) / (2 * variance) - Math.log(2 * Math.PI * variance) / 2,
    value: mean / variance,
    square: -1 / (2 * variance),
  };
}
