import type { Reals } from '../../core/reals.js';
import type { TableRole } from '../../core/table-role.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { type Gaussian, gaussianOf, gaussianWeights, type Moments } from './gaussian.js';
import type { RowChains } from './row-chains.js';

/** How counts become probabilities. */
export interface Smoothing {
  /** Added to the count of each entry of an emission table. */
  readonly k: number;
  /** Added to the count of each transition and of each first label. */
  readonly transitionK: number;
  /** Tokens that a word, or class, needs for an entry of its own. */
  readonly minCount: number;
  /** Least variance of a density of numbers. */
  readonly varianceFloor: number;
}

/** Share of `minCount` that rounding may take of a sum of expected counts. */
const rounding = 1e-9;

/**
 * Makes weights of counts: see `Counts` for the formulas. Works in the rows of the target; beside them it needs a number
 * for each label and column. Cost O(all weights).
 */
export class TableWriter {
  readonly #roles: readonly TableRole[];
  readonly #options: Smoothing;
  readonly #store: ParameterStore;
  readonly #chains: RowChains;
  /** `[columns x labels]`: counts of what has no entry, then the logarithm of its probability. */
  #rest = new Float64Array(0);
  /** `[columns x labels]`: sums over the entries of a column. */
  #sums = new Float64Array(0);
  /** `[labels]`: tokens. */
  #tokens = new Float64Array(0);
  #logPrior = 0;
  /** Where the last weights went. */
  #target: Plane | undefined;

  constructor(
    roles: readonly TableRole[],
    options: Smoothing,
    store: ParameterStore,
    chains: RowChains,
  ) {
    this.#roles = roles;
    this.#options = options;
    this.#store = store;
    this.#chains = chains;
  }

  /**
   * Writes the weights of the counts into the rows of a target that has as many. They maximise
   * `sum of counts * log p + log prior`, where the logarithm of the prior, up to a constant, is
   *
   *     k sum log p(o | y) + K sum log p(y' | y) + K sum log p(y)
   *
   * over all entries and labels, that of Dirichlet distributions. Returns it.
   *
   * @param seen tokens of each row, by which entries are chosen in place of the sums of counts; none has an entry that
   *   has no count
   */
  write(counts: Plane, target: Plane, seen?: Float64Array): number {
    const { labels, width } = this.#store;
    this.#logPrior = 0;
    const from = counts.state.view;
    const to = target.state.view;
    // Rows that no sentence has had yet are not gone over: here and in the planes of the store they are 0.
    if (this.#target !== target) to.fill(0);
    this.#target = target;
    this.#countTokens(from);
    this.#writeClasses(from, to, seen);
    this.#writeSingle(from, to);
    const edges = counts.edges.view;
    for (let y = 0; y < labels; y += 1) {
      this.#writeDistribution(edges, target.edges.view, y * width);
    }
    return this.#logPrior;
  }

  #countTokens(from: Reals): void {
    const { labels, width } = this.#store;
    this.#tokens = new Float64Array(labels);
    const row = this.#chains.rowOf('constant');
    if (row < 0) return;
    for (let y = 0; y < labels; y += 1) this.#tokens[y] = from[row * width + y]!;
  }

  /** The rows of classes: counts, counts less those of finer entries, logarithms of entries, ratios of logarithms. */
  #writeClasses(from: Reals, to: Reals, seen?: Float64Array): void {
    const { labels, width } = this.#store;
    const { k } = this.#options;
    const minCount = this.#options.minCount * (1 - rounding);
    const chains = this.#chains;
    const { rows, parents } = chains.ordered();
    const { columns } = chains;
    this.#rest = new Float64Array(columns * labels);
    this.#sums = new Float64Array(columns * labels);
    for (let c = 0; c < columns; c += 1) this.#rest.set(this.#tokens, c * labels);
    const rest = this.#rest;
    const sums = this.#sums;
    const entries = new Float64Array(columns).fill(1);
    const hasEntry = new Uint8Array(rows.length);
    /** Whether others back off to a row. */
    const isParent = new Uint8Array(parents.length);
    const unseen = seen?.slice();
    // From the finest on: what an entry takes is not left for those that it backs off to.
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      const column = chains.columnOf(row);
      const first = column * labels;
      const own = row * width;
      const left = isParent[row] === 1 ? to : from;
      let counted = 0;
      for (let at = own; at < own + labels; at += 1) counted += Math.max(0, left[at]!);
      const total = unseen?.[row] ?? counted;
      const has = total >= minCount && counted > 0;
      if (has) {
        hasEntry[i] = 1;
        entries[column]! += 1;
      }
      const parent = parents[row]!;
      if (parent >= 0 && isParent[parent] === 0) {
        isParent[parent] = 1;
        const at = parent * width;
        for (let y = at; y < at + labels; y += 1) to[y] = from[y]!;
      }
      if (unseen !== undefined && parent >= 0) {
        unseen[parent]! -= seen![row]! - (has ? Math.min(0, total) : total);
      }
      // Without finer ones and an entry it takes nothing.
      if (left === from && !has) continue;
      for (let y = 0; y < labels; y += 1) {
        const remaining = left[own + y]!;
        const all = from[own + y]!;
        // Most words have few labels.
        if (remaining === 0 && all === 0) continue;
        // A row that came late has seen less than its finer ones; these keep all that they took.
        const taken = all - (has ? Math.min(0, remaining) : remaining);
        if (has) sums[first + y]! += Math.max(0, remaining);
        if (parent < 0) rest[first + y]! -= taken;
        else to[parent * width + y]! -= taken;
      }
    }
    let logPrior = 0;
    /** `[columns x labels]`: what an entry without a count has. */
    const none = new Float64Array(columns * labels);
    for (let c = 0; c < columns; c += 1) {
      for (let y = c * labels; y < (c + 1) * labels; y += 1) {
        const left = Math.max(0, rest[y]!);
        sums[y]! += left + k * entries[c]!;
        rest[y] = Math.log((left + k) / sums[y]!);
        none[y] = Math.log(k / sums[y]!);
        logPrior += k * rest[y]!;
      }
    }
    // From the coarsest on: log p of what a token of the row is emitted as; less that of its parent where nobody asks.
    for (let i = rows.length - 1; i >= 0; i -= 1) {
      const row = rows[i]!;
      const own = row * width;
      const first = chains.columnOf(row) * labels;
      const parent = parents[row]!;
      const backoff = parent < 0 ? rest : to;
      const back = parent < 0 ? first : parent * width;
      if (hasEntry[i] === 0) {
        if (isParent[row] === 0) to.fill(0, own, own + labels);
        else for (let y = 0; y < labels; y += 1) to[own + y] = backoff[back + y]!;
        continue;
      }
      const isAsked = isParent[row] === 1;
      const left = isAsked ? to : from;
      for (let y = 0; y < labels; y += 1) {
        const count = left[own + y]!;
        const log = count > 0 ? Math.log((count + k) / sums[first + y]!) : none[first + y]!;
        logPrior += k * log;
        to[own + y] = isAsked ? log : log - backoff[back + y]!;
      }
    }
    this.#logPrior += logPrior;
    for (const row of rows) {
      if (isParent[row] === 0) continue;
      const own = row * width;
      const parent = parents[row]!;
      const backoff = parent < 0 ? rest : to;
      const back = parent < 0 ? chains.columnOf(row) * labels : parent * width;
      for (let y = 0; y < labels; y += 1) to[own + y]! -= backoff[back + y]!;
    }
  }

  /** The rows of first labels, of numbers and of the constant, which has what all tokens have in common. */
  #writeSingle(from: Reals, to: Reals): void {
    const { labels, width } = this.#store;
    const first = this.#chains.rowOf('first');
    if (first >= 0) this.#writeDistribution(from, to, first * width);
    const constants = new Float64Array(labels);
    for (let at = 0; at < this.#rest.length; at += 1) constants[at % labels]! += this.#rest[at]!;
    for (const role of this.#roles) {
      if (role.kind === 'value') this.#writeGaussians(role.column, { from, to, constants });
    }
    const row = this.#chains.rowOf('constant');
    if (row < 0) return;
    for (let y = 0; y < labels; y += 1) to[row * width + y] = constants[y]!;
  }

  #writeGaussians(
    column: string,
    { from, to, constants }: { from: Reals; to: Reals; constants: Float64Array },
  ): void {
    const { labels, width } = this.#store;
    const value = this.#chains.rowOf('value', column);
    const square = this.#chains.rowOf('square', column);
    const at = (row: number, y: number) => (row < 0 ? 0 : from[row * width + y]!);
    const all: Moments[] = Array.from({ length: labels }, (_, y) => ({
      count: this.#tokens[y]!,
      ...{ sum: at(value, y), squares: at(square, y) },
    }));
    const { varianceFloor } = this.#options;
    const pooled = gaussianOf(all.reduce(joined, none), varianceFloor);
    for (const [y, moments] of all.entries()) {
      const density: Gaussian = moments.count > 0 ? gaussianOf(moments, varianceFloor) : pooled;
      const weights = gaussianWeights(density);
      constants[y]! += weights.constant;
      if (value >= 0) to[value * width + y] = weights.value;
      if (square >= 0) to[square * width + y] = weights.square;
    }
  }

  /** log((n(y) + K) / (sum n + K L)) of a row of counts. */
  #writeDistribution(from: Reals, to: Reals, start: number): void {
    const { labels } = this.#store;
    const { transitionK } = this.#options;
    let sum = transitionK * labels;
    for (let y = start; y < start + labels; y += 1) sum += from[y]!;
    for (let y = start; y < start + labels; y += 1) {
      to[y] = Math.log((from[y]! + transitionK) / sum);
      this.#logPrior += transitionK * to[y]!;
    }
  }
}

const none: Moments = { count: 0, sum: 0, squares: 0 };

function joined(one: Moments, other: Moments): Moments {
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
  };
}
