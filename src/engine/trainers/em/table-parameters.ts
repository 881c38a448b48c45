import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { cholesky } from '../../optimizers/tables/positive-definite.js';
import type { RowChains } from '../../optimizers/tables/row-chains.js';
import type { FreeParameters } from '../vectors/free-parameters.js';

/** The structure of tables, and the strength of their prior. */
export interface TableShape {
  readonly store: Pick<ParameterStore, 'labels' | 'stateRows' | 'layout'>;
  readonly free: Pick<FreeParameters, 'transitionsFrom'>;
  readonly chains: RowChains;
  /** Whether a row of a word or class has its own entry. */
  readonly entries: Uint8Array;
  readonly k: number;
  readonly transitionK: number;
}

/**
 * Unconstrained parameters for the tables of a hidden Markov model, one per weight: any values yield weights of
 * distributions. With q the parameters of a label,
 *
 *     p(o | y) = exp(q(o)) / (1 + sum of exp(q)),   1 for anything without an entry,
 *     p(y' | y), p(y) and c(m | y): exp(q) / sum of exp(q),
 *
 * and densities as in `DensityParameters`. The prior is that of `TableWriter`. Each call costs O(all weights).
 */
export class TableParameters {
  readonly #shape: TableShape;
  readonly #components: number;
  /** Rows with an entry, finest first. */
  readonly #rows: readonly number[];
  /** For each of these rows, the coarser entry that it backs off to; -1 if there is none. */
  readonly #coarser: readonly number[];
  readonly #columns: readonly number[];
  readonly #densities: readonly { readonly lane: number; readonly block: DensityParameters }[];
  readonly #constant: number;
  readonly #start: Float64Array;
  /** `[columns x labels]`: log(1 + sum of exp(q)). */
  #logSums = new Float64Array(0);

  /** @param weights the initial tables */
  constructor(shape: TableShape, weights: Float64Array) {
    const { store, chains, entries } = shape;
    const { labels, layout } = store;
    this.#shape = shape;
    this.#components = layout.components?.count ?? 1;
    const { rows, parents } = chains.ordered();
    this.#rows = [...rows].filter(row => entries[row] === 1);
    this.#coarser = this.#rows.map(row => {
      let parent = parents[row]!;
      while (parent >= 0 && entries[parent] !== 1) parent = parents[parent]!;
      return parent;
    });
    this.#columns = this.#rows.map(row => chains.columnOf(row));
    this.#constant = chains.rowOf('constant') * labels;
    const lanes = Array.from({ length: labels }, (_, lane) => lane);
    this.#densities = densityColumns(shape).flatMap(columns =>
      lanes.map(lane => {
        const places = placesOf(shape, columns, lane, this.#constant);
        return { lane, block: new DensityParameters(places, weights) };
      }),
    );
    this.#start = this.#from(weights);
  }

  /** The parameters of the initial tables. */
  get start(): Float64Array {
    return this.#start;
  }

  #from(weights: Float64Array): Float64Array {
    const { labels } = this.#shape.store;
    const parameters = new Float64Array(weights.length);
    const own = new Map(this.#rows.map((row, i) => [row, i]));
    for (let i = this.#rows.length - 1; i >= 0; i -= 1) {
      const row = this.#rows[i]!;
      const coarser = this.#coarser[i]!;
      for (let lane = 0; lane < labels; lane += this.#components) {
        const below = own.has(coarser) ? parameters[coarser * labels + lane]! : 0;
        parameters[row * labels + lane] = weights[row * labels + lane]! + below;
      }
    }
    for (const at of this.#distributions())
      for (const place of at) parameters[place] = weights[place]!;
    if (this.#components === 1) return parameters;
    // The part of a constant without its density: the component's share, and the part common to the whole label.
    const scratch = weights.slice();
    const added = new Float64Array(labels);
    for (const { lane, block } of this.#densities) added[lane]! += block.place(parameters, scratch);
    for (let lane = 0; lane < labels; lane += 1) {
      const first = lane - (lane % this.#components);
      const share = weights[this.#constant + lane]! - added[lane]!;
      const firstShare = weights[this.#constant + first]! - added[first]!;
      parameters[this.#constant + lane] = share - firstShare;
    }
    return parameters;
  }

  /** Returns the places of the parameters of each distribution over labels, in first lanes only. */
  #distributions(): number[][] {
    const { store, free, chains } = this.#shape;
    const { labels } = store;
    const lanes: number[] = [];
    for (let lane = 0; lane < labels; lane += this.#components) lanes.push(lane);
    const first = chains.rowOf('first');
    const starts = lanes.map(lane => free.transitionsFrom + lane * labels);
    if (first >= 0) starts.push(first * labels);
    return starts.map(start => lanes.map(lane => start + lane));
  }

  /** Writes the weights for the parameters; returns the log prior. */
  place(parameters: Float64Array, weights: Float64Array): number {
    const { k, transitionK, store, chains } = this.#shape;
    const { labels } = store;
    const components = this.#components;
    const constants = new Float64Array(labels);
    let logPrior = 0;
    weights.fill(0);
    this.#logSums = new Float64Array(chains.columns * labels);
    const most = new Float64Array(chains.columns * labels);
    const sums = this.#logSums;
    const each = (visit: (at: number, sum: number, i: number, lane: number) => void) => {
      for (let i = 0; i < this.#rows.length; i += 1) {
        for (let lane = 0; lane < labels; lane += components) {
          visit(this.#rows[i]! * labels + lane, this.#columns[i]! * labels + lane, i, lane);
        }
      }
    };
    each((at, sum) => {
      most[sum] = Math.max(most[sum]!, parameters[at]!);
    });
    for (let at = 0; at < sums.length; at += 1) sums[at] = Math.exp(0 - most[at]!);
    each((at, sum) => {
      sums[sum]! += Math.exp(parameters[at]! - most[sum]!);
    });
    for (let at = 0; at < sums.length; at += 1) {
      if ((at % labels) % components !== 0) continue;
      sums[at] = most[at]! + Math.log(sums[at]!);
      const lane = at % labels;
      for (let m = lane; m < lane + components; m += 1) constants[m]! -= sums[at]!;
      logPrior -= k * sums[at]!;
    }
    each((at, sum, i, lane) => {
      const coarser = this.#coarser[i]!;
      const weight = parameters[at]! - (coarser < 0 ? 0 : parameters[coarser * labels + lane]!);
      weights.fill(weight, at, at + components);
      logPrior += k * (parameters[at]! - sums[sum]!);
    });
    for (const places of this.#distributions()) {
      const logSum = logSumOf(parameters, places);
      for (const at of places) {
        weights.fill(parameters[at]! - logSum, at, at + components);
        logPrior += transitionK * (parameters[at]! - logSum);
      }
    }
    this.#unfoldPairs(weights);
    for (const places of this.#shares()) {
      const logSum = logSumOf(parameters, places);
      for (const at of places) {
        constants[at - this.#constant]! += parameters[at]! - logSum;
        logPrior += transitionK * (parameters[at]! - logSum);
      }
    }
    for (const { lane, block } of this.#densities) {
      constants[lane]! += block.place(parameters, weights);
    }
    weights.set(constants, this.#constant);
    return logPrior;
  }

  /** Copies the value of a previous label's first component to all of its components. */
  #unfoldPairs(weights: Float64Array): void {
    const { store, free } = this.#shape;
    const { labels } = store;
    for (let lane = 0; lane < labels; lane += 1) {
      const first = free.transitionsFrom + (lane - (lane % this.#components)) * labels;
      const to = free.transitionsFrom + lane * labels;
      if (first !== to) weights.copyWithin(to, first, first + labels);
    }
  }

  /** Returns the places of the component shares of each label; none for a single component. */
  #shares(): number[][] {
    if (this.#components === 1) return [];
    const { labels } = this.#shape.store;
    return Array.from({ length: labels / this.#components }, (_, y) =>
      Array.from(
        { length: this.#components },
        (__, m) => this.#constant + y * this.#components + m,
      ),
    );
  }

  /**
   * Computes the gradient of loss - log prior at the parameters of the last `place`, from the loss's gradient with
   * respect to the weights.
   */
  pull(parameters: Float64Array, gradient: Float64Array, into: Float64Array): void {
    const { k, transitionK, store, chains, free } = this.#shape;
    const { labels } = store;
    const components = this.#components;
    into.fill(0);
    /** Sums over the entries of each column, including the entry for unknown values. */
    const entries = new Float64Array(chains.columns).fill(1);
    for (const column of this.#columns) entries[column]! += 1;
    const ofLabel = (at: number) => {
      let sum = 0;
      for (let m = at; m < at + components; m += 1) sum += gradient[m]!;
      return sum;
    };
    for (const [i, row] of this.#rows.entries()) {
      const coarser = this.#coarser[i]!;
      const column = this.#columns[i]!;
      for (let lane = 0; lane < labels; lane += components) {
        const at = row * labels + lane;
        const own = ofLabel(at);
        const p = Math.exp(parameters[at]! - this.#logSums[column * labels + lane]!);
        into[at]! += own - p * ofLabel(this.#constant + lane) - k * (1 - entries[column]! * p);
        if (coarser >= 0) into[coarser * labels + lane]! -= own;
      }
    }
    const from = free.transitionsFrom;
    const inPair = (at: number) => {
      if (at < from) return ofLabel(at);
      let sum = 0;
      for (let m = 0; m < components; m += 1) sum += ofLabel(at + m * labels);
      return sum;
    };
    this.#pullSoftmax(this.#distributions(), inPair, { parameters, into, prior: transitionK });
    const own = (at: number) => gradient[at]!;
    this.#pullSoftmax(this.#shares(), own, { parameters, into, prior: transitionK });
    for (const { block } of this.#densities) block.pull(gradient, into);
  }

  #pullSoftmax(
    distributions: readonly (readonly number[])[],
    gradientAt: (at: number) => number,
    {
      parameters,
      into,
      prior,
    }: { readonly parameters: Float64Array; readonly into: Float64Array; readonly prior: number },
  ): void {
    for (const places of distributions) {
      const logSum = logSumOf(parameters, places);
      let all = 0;
      for (const at of places) all += gradientAt(at);
      for (const at of places) {
        const p = Math.exp(parameters[at]! - logSum);
        into[at] = gradientAt(at) - p * all - prior * (1 - places.length * p);
      }
    }
  }
}

/** Returns the columns of numbers in each density: all in one, or one each; without columns that are always 0. */
function densityColumns({ store, chains }: TableShape): string[][] {
  const { tables = [] } = store.layout;
  const columns = tables.flatMap(role => (role.kind === 'value' ? role.column : []));
  const known = columns.filter(column => chains.rowOf('value', column) >= 0);
  if (known.length === 0) return [];
  return tables.some(({ kind }) => kind === 'product') ? [known] : known.map(column => [column]);
}

function placesOf(
  { store, chains }: TableShape,
  columns: readonly string[],
  lane: number,
  constant: number,
): DensityPlaces {
  const { labels } = store;
  const at = (row: number) => (row < 0 ? -1 : row * labels + lane);
  return {
    constant: constant + lane,
    values: columns.map(column => at(chains.rowOf('value', column))),
    squares: columns.flatMap(a =>
      columns.map(b => at(a === b ? chains.rowOf('square', a) : chains.productRow(a, b))),
    ),
  };
}

function logSumOf(parameters: Float64Array, places: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const at of places) most = Math.max(most, parameters[at]!);
  let sum = 0;
  for (const at of places) sum += Math.exp(parameters[at]! - most);
  return most + Math.log(sum);
}

/** Offsets of a density's weights in a vector of weights, for one lane; -1 if absent. */
interface DensityPlaces {
  readonly constant: number;
  readonly values: readonly number[];
  /** `[n x n]`: squares on the diagonal, products off it. */
  readonly squares: readonly number[];
}

/**
 * A Gaussian density with unconstrained parameters, initially 0: with A_0 A_0' the initial precision and m_0 the
 * initial mean,
 *
 *     S^-1 = A A',   A = A_0 R,   m = m_0 + A_0^-T u,
 *
 * with R lower triangular and exp(r_i) on its diagonal, so that S is positive definite for any parameters, whose unit
 * is the initial deviations. u is stored in the places of values, r in those of squares, R in those of products. Each
 * call costs O(n^3).
 */
class DensityParameters {
  readonly #places: DensityPlaces;
  readonly #n: number;
  /** A_0. */
  readonly #root: Float64Array;
  /** m_0. */
  readonly #start: Float64Array;
  readonly #factor: Float64Array;
  readonly #triangle: Float64Array;
  readonly #mean: Float64Array;
  readonly #precision: Float64Array;

  /** @param weights the initial density */
  constructor(places: DensityPlaces, weights: Float64Array) {
    const n = places.values.length;
    this.#places = places;
    this.#n = n;
    this.#root = new Float64Array(n * n);
    this.#factor = new Float64Array(n * n);
    this.#triangle = new Float64Array(n * n);
    this.#mean = new Float64Array(n);
    this.#precision = new Float64Array(n * n);
    const precision = places.squares.map((at, i) => {
      if (at < 0) return 0;
      return i % (n + 1) === 0 ? -2 * weights[at]! : 0 - weights[at]!;
    });
    cholesky(Float64Array.from(precision), n, this.#root);
    this.#start = Float64Array.from(places.values, at => weights[at]!);
    this.#solve(this.#start);
    this.#solveTransposed(this.#start);
  }

  /** x = A_0^-1 x. */
  #solve(x: Float64Array): void {
    const n = this.#n;
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < i; k += 1) x[i]! -= this.#root[i * n + k]! * x[k]!;
      x[i]! /= this.#root[i * n + i]!;
    }
  }

  /** x = A_0^-T x. */
  #solveTransposed(x: Float64Array): void {
    const n = this.#n;
    for (let i = n - 1; i >= 0; i -= 1) {
      for (let k = i + 1; k < n; k += 1) x[i]! -= this.#root[k * n + i]! * x[k]!;
      x[i]! /= this.#root[i * n + i]!;
    }
  }

  /** Writes the weights for the parameters; returns the density's contribution to the constant. */
  place(parameters: Float64Array, weights: Float64Array): number {
    const n = this.#n;
    const { values, squares } = this.#places;
    const mean = this.#mean;
    let constant = (-n * Math.log(2 * Math.PI)) / 2;
    for (let i = 0; i < n; i += 1) {
      mean[i] = parameters[values[i]!]!;
      for (let j = 0; j <= i; j += 1) {
        const at = squares[i * n + j]!;
        const free = at < 0 ? 0 : parameters[at]!;
        this.#triangle[i * n + j] = i === j ? Math.exp(free) : free;
        if (i === j) constant += free + Math.log(this.#root[i * n + i]!);
      }
    }
    this.#solveTransposed(mean);
    for (let i = 0; i < n; i += 1) mean[i]! += this.#start[i]!;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let sum = 0;
        for (let k = j; k <= i; k += 1) {
          sum += this.#root[i * n + k]! * this.#triangle[k * n + j]!;
        }
        this.#factor[i * n + j] = sum;
      }
    }
    const precision = this.#precision;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        let sum = 0;
        for (let k = 0; k <= Math.min(i, j); k += 1) {
          sum += this.#factor[i * n + k]! * this.#factor[j * n + k]!;
        }
        precision[i * n + j] = sum;
        const at = squares[i * n + j]!;
        if (at >= 0 && j <= i) weights[at] = i === j ? -sum / 2 : -sum;
      }
    }
    for (let i = 0; i < n; i += 1) {
      let value = 0;
      for (let j = 0; j < n; j += 1) value += precision[i * n + j]! * mean[j]!;
      weights[values[i]!] = value;
      constant -= (value * mean[i]!) / 2;
    }
    return constant;
  }

  /**
   * Computes the gradient at the parameters of the last `place` from the gradient at their weights, by the chain rule:
   * with L = g_v'(P m) + tr(H P) + g_c (log|A| - m' P m / 2) and P = A A',
   *
   *     dL / dP = H + (g_v m' + m g_v') / 2 - g_c m m' / 2,   dL / dm = P (g_v - g_c m).
   */
  pull(gradient: Float64Array, into: Float64Array): void {
    const n = this.#n;
    const { constant, values, squares } = this.#places;
    const mean = this.#mean;
    const own = gradient[constant]!;
    const sums = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        const at = squares[i * n + j]!;
        const [one, two] = [gradient[values[i]!]!, gradient[values[j]!]!];
        sums[i * n + j] =
          (one * mean[j]! + two * mean[i]! - own * mean[i]! * mean[j]!) / 2 -
          (at < 0 ? 0 : gradient[at]! / 2);
      }
    }
    const moved = new Float64Array(n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        moved[i]! += this.#precision[i * n + j]! * (gradient[values[j]!]! - own * mean[j]!);
      }
    }
    this.#solve(moved);
    for (let i = 0; i < n; i += 1) into[values[i]!] = moved[i]!;
    // A_0' (2 sums A), whose lower triangle is free.
    const product = new Float64Array(n * n);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        for (let k = j; k < n; k += 1) {
          product[i * n + j]! += 2 * sums[i * n + k]! * this.#factor[k * n + j]!;
        }
      }
    }
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        let sum = 0;
        for (let k = i; k < n; k += 1) sum += this.#root[k * n + i]! * product[k * n + j]!;
        const at = squares[i * n + j]!;
        if (at < 0) continue;
        into[at] = i === j ? sum * this.#triangle[i * n + i]! + own : sum;
      }
    }
  }
}
