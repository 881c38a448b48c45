import * as z from 'zod';
import { grown, type Reals } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { TableRole } from '../../core/scorer.js';
import { scorersWith } from '../../inference/scorers/scorers.js';
import type { Plane } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { type DensityOptions, DensityWriter } from './density-writer.js';
import type { RowChains } from './row-chains.js';

/** Options for turning counts into probabilities. */
export interface Smoothing extends DensityOptions {
  /** Amount added to the count of each entry of an emission table. */
  readonly k: number;
  /** Amount added to the count of each transition and of each first label. */
  readonly transitionK: number;
  /** Minimum number of tokens for a word or class to have its own entry. */
  readonly minCount: number;
}

/** Counts, and the target of the weights computed from them. */
interface Tables {
  readonly from: Reals;
  readonly to: Reals;
  /** `[labels x width]`: counts of transitions. */
  readonly pairs: Reals;
  readonly toPairs: Reals;
}

/** Relative tolerance of `minCount` for rounding in sums of expected counts. */
const rounding = 1e-9;

/**
 * Turns counts into weights: see `Counts` for the formulas. Works in the target's rows; needs one more number per
 * label and column. Cost O(all weights).
 */
export class TableWriter {
  readonly #options: Smoothing;
  readonly #store: ParameterStore;
  readonly #chains: RowChains;
  readonly #densities: DensityWriter;
  /** Number of labels and row stride, of the store or after summing over components. */
  #shape: Pick<ParameterStore, 'labels' | 'width'>;
  /** `[columns x labels]`: counts without an entry, then the logarithm of their probability. */
  #rest = new Float64Array(0);
  /** `[columns x labels]`: sums over the entries of a column. */
  #sums = new Float64Array(0);
  /** `[labels]`: token counts. */
  #tokens = new Float64Array(0);
  #logPrior = 0;
  #entries = new Uint8Array(0);
  /** Labels with a nonzero count, row by row. */
  #active = new Uint32Array(0);
  /** Where the labels of each row begin in `#active`, in row order. */
  #starts = new Uint32Array(1);
  #isParent = new Uint8Array(0);
  /** Target of the last weights. */
  #target: Plane | undefined;

  constructor(
    roles: readonly TableRole[],
    options: Smoothing,
    store: ParameterStore,
    chains: RowChains,
  ) {
    this.#options = options;
    this.#store = store;
    this.#chains = chains;
    this.#densities = new DensityWriter(roles, options, store, chains);
    this.#shape = store;
  }

  /**
   * Writes the weights for the counts into a target with equally many rows; returns the log prior. The weights
   * maximise `sum of counts * log p + log prior`, where the logarithm of the prior, up to a constant, is
   *
   *     k sum log p(o | y) + K sum log p(y' | y) + K sum log p(y)
   *
   * over all entries and labels, that of Dirichlet distributions. If densities are mixtures, components share their
   * label's words and transitions; component m has the weight c(m | y) = (n(y, m) + K) / (n(y) + K M), with its own
   * prior.
   *
   * @param seen token count of each row, which replaces the sums of counts when entries are chosen; a row without a
   *   count has no entry
   */
  write(counts: Plane, target: Plane, seen?: Float64Array): number {
    const { labels, width, layout } = this.#store;
    const components = layout.components?.count ?? 1;
    this.#logPrior = 0;
    const from = counts.state.view;
    const to = target.state.view;
    // Rows not seen in any sentence yet are skipped: they are 0 here and in the store's planes.
    if (this.#target !== target) to.fill(0);
    this.#target = target;
    const row = this.#chains.rowOf('constant');
    const tokens = new Float64Array(labels);
    for (let y = 0; row >= 0 && y < labels; y += 1) tokens[y] = from[row * width + y]!;
    let constants: Float64Array;
    if (components === 1) {
      this.#shape = this.#store;
      this.#tokens = tokens;
      const tables = { from, to, pairs: counts.edges.view, toPairs: target.edges.view };
      constants = this.#writeTables(tables, seen);
    } else {
      const lanes = { labels: labels / components, components, width };
      constants = this.#writeShared(counts, target, { lanes, tokens }, seen);
    }
    this.#densities.write({ from, to, tokens, constants });
    for (let y = 0; row >= 0 && y < labels; y += 1) to[row * width + y] = constants[y]!;
    return this.#logPrior;
  }

  /** Writes the labels' tables, shared by their components, and each component's constant without its density. */
  #writeShared(
    counts: Plane,
    target: Plane,
    { lanes, tokens }: { readonly lanes: ComponentLanes; readonly tokens: Float64Array },
    seen?: Float64Array,
  ): Float64Array {
    const { labels, components } = lanes;
    const rows = this.#store.stateRows;
    this.#shape = { labels, width: labels };
    this.#tokens = foldRows(tokens, 1, { ...lanes, width: tokens.length });
    const to = new Float64Array(rows * labels);
    const toPairs = new Float64Array(labels * labels);
    const from = foldRows(counts.state.view, rows, lanes);
    const pairs = foldSquare(counts.edges.view, lanes);
    const shared = this.#writeTables({ from, to, pairs, toPairs }, seen);
    unfoldRows(to, rows, target.state.view, lanes);
    unfoldSquare(toPairs, target.edges.view, lanes);
    const { transitionK } = this.#options;
    return tokens.map((count, lane) => {
      const label = Math.floor(lane / components);
      const share = (count + transitionK) / (this.#tokens[label]! + transitionK * components);
      this.#logPrior += transitionK * Math.log(share);
      return shared[label]! + Math.log(share);
    });
  }

  /** Writes words, first labels and transitions; returns the constants shared by all tokens of each label. */
  #writeTables({ from, to, pairs, toPairs }: Tables, seen?: Float64Array): Float64Array {
    const { labels, width } = this.#shape;
    this.#writeClasses(from, to, seen);
    const first = this.#chains.rowOf('first');
    if (first >= 0) this.#writeDistribution(from, to, first * width);
    const constants = new Float64Array(labels);
    for (let at = 0; at < this.#rest.length; at += 1) constants[at % labels]! += this.#rest[at]!;
    for (let y = 0; y < labels; y += 1) this.#writeDistribution(pairs, toPairs, y * width);
    return constants;
  }

  /** Whether each row had an entry in the tables written last. */
  get entries(): Uint8Array {
    return this.#entries;
  }

  /**
   * Writes the rows of classes, in turn: counts, counts minus those of finer entries, logarithms of entries, ratios of
   * logarithms.
   */
  #writeClasses(from: Reals, to: Reals, seen?: Float64Array): void {
    const { labels, width } = this.#shape;
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
    /** Whether other rows back off to each row. */
    this.#isParent = cleared(this.#isParent, chains.room, parents.length);
    const isParent = this.#isParent;
    this.#entries = cleared(this.#entries, chains.room, parents.length);
    const hasEntry = this.#entries;
    const unseen = seen?.slice();
    if (this.#starts.length <= rows.length) this.#starts = new Uint32Array(2 * rows.length + 1);
    const starts = this.#starts;
    let active = 0;
    // From the finest on: an entry's counts are not passed to the entries it backs off to.
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i]!;
      const column = chains.columnOf(row);
      const first = column * labels;
      const own = row * width;
      const left = isParent[row] === 1 ? to : from;
      if (active + labels > this.#active.length) {
        this.#active = grown(this.#active, new Uint32Array(2 * (this.#active.length + labels)));
      }
      const lanes = this.#active;
      let counted = 0;
      // Most words have few labels, and from here on only those are visited.
      for (let y = 0; y < labels; y += 1) {
        const remaining = left[own + y]!;
        if (remaining === 0 && from[own + y] === 0) continue;
        lanes[active] = y;
        active += 1;
        counted += Math.max(0, remaining);
      }
      starts[i + 1] = active;
      const total = unseen?.[row] ?? counted;
      const has = total >= minCount && counted > 0;
      if (has) {
        hasEntry[row] = 1;
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
      // With neither finer entries nor one of its own, a row takes nothing.
      if (left === from && !has) continue;
      for (let at = starts[i]!; at < active; at += 1) {
        const y = lanes[at]!;
        const remaining = left[own + y]!;
        const all = from[own + y]!;
        // A row created late has fewer counts than its finer rows, which keep what they took.
        const taken = all - (has ? Math.min(0, remaining) : remaining);
        if (has) sums[first + y]! += Math.max(0, remaining);
        if (parent < 0) rest[first + y]! -= taken;
        else to[parent * width + y]! -= taken;
      }
    }
    let logPrior = 0;
    /**
     * `[columns x labels]`: the value of an entry without a count, and the same minus its back-off if there is no
     * entry.
     */
    const none = new Float64Array(columns * labels);
    const bare = new Float64Array(columns * labels);
    /** `[columns]`: sums of `none`. */
    const sumsOfNone = new Float64Array(columns);
    for (let c = 0; c < columns; c += 1) {
      for (let y = c * labels; y < (c + 1) * labels; y += 1) {
        const left = Math.max(0, rest[y]!);
        sums[y]! += left + k * entries[c]!;
        rest[y] = Math.log((left + k) / sums[y]!);
        none[y] = Math.log(k / sums[y]!);
        bare[y] = none[y]! - rest[y]!;
        sumsOfNone[c]! += none[y]!;
        logPrior += k * rest[y]!;
      }
    }
    const lanes = this.#active;
    const found = new Float64Array(labels);
    const bares = Array.from({ length: columns }, (_, c) => [
      none.subarray(c * labels, (c + 1) * labels),
      bare.subarray(c * labels, (c + 1) * labels),
    ]);
    // From the coarsest on: log p of the entry for which the row's tokens count; the parent's log p is subtracted once
    // it is no longer needed.
    for (let i = rows.length - 1; i >= 0; i -= 1) {
      const row = rows[i]!;
      const own = row * width;
      const column = chains.columnOf(row);
      const first = column * labels;
      const parent = parents[row]!;
      const backoff = parent < 0 ? rest : to;
      const back = parent < 0 ? first : parent * width;
      if (hasEntry[row] === 0) {
        if (isParent[row] === 0) to.fill(0, own, own + labels);
        else for (let y = 0; y < labels; y += 1) to[own + y] = backoff[back + y]!;
        continue;
      }
      const isAsked = isParent[row] === 1;
      const left = isAsked ? to : from;
      const [begin, end] = [starts[i]!, starts[i + 1]!];
      let logs = sumsOfNone[column]!;
      for (let at = begin; at < end; at += 1) {
        const y = lanes[at]!;
        const count = left[own + y]!;
        const nothing = none[first + y]!;
        const log = count > 0 ? Math.log((count + k) / sums[first + y]!) : nothing;
        logs += log - nothing;
        found[y] = isAsked ? log : log - backoff[back + y]!;
      }
      logPrior += k * logs;
      if (isAsked) to.set(bares[column]![0]!, own);
      else if (parent < 0) to.set(bares[column]![1]!, own);
      else for (let y = 0; y < labels; y += 1) to[own + y] = none[first + y]! - to[back + y]!;
      for (let at = begin; at < end; at += 1) to[own + lanes[at]!] = found[lanes[at]!]!;
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

  /** Writes log((n(y) + K) / (sum n + K L)) for a row of counts. */
  #writeDistribution(from: Reals, to: Reals, start: number): void {
    const { labels } = this.#shape;
    const { transitionK } = this.#options;
    let sum = transitionK * labels;
    for (let y = start; y < start + labels; y += 1) sum += from[y]!;
    for (let y = start; y < start + labels; y += 1) {
      to[y] = Math.log((from[y]! + transitionK) / sum);
      this.#logPrior += transitionK * to[y]!;
    }
  }
}

/** Returns a byte per row, cleared for known rows; the others have never been set. */
function cleared(
  bytes: Uint8Array<ArrayBuffer>,
  room: number,
  known: number,
): Uint8Array<ArrayBuffer> {
  if (bytes.length !== room) return new Uint8Array(room);
  return bytes.fill(0, 0, known);
}

/** The lanes of labels with several components, which are adjacent. */
interface ComponentLanes {
  /** Number of labels. */
  readonly labels: number;
  /** Number of components per label. */
  readonly components: number;
  /** The row stride. */
  readonly width: number;
}

/** Returns `[rows x labels]`: rows summed over the components of each label. */
function foldRows(from: Reals, rows: number, lanes: ComponentLanes): Float64Array<ArrayBuffer> {
  const { labels, components, width } = lanes;
  const folded = new Float64Array(rows * labels);
  for (let row = 0; row < rows; row += 1) {
    for (let lane = 0; lane < labels * components; lane += 1) {
      folded[row * labels + Math.floor(lane / components)]! += from[row * width + lane]!;
    }
  }
  return folded;
}

/** Returns `[labels x labels]`: lane pairs summed over the components of both labels. */
function foldSquare(from: Reals, lanes: ComponentLanes): Float64Array<ArrayBuffer> {
  const { labels, components } = lanes;
  const rows = foldRows(from, labels * components, lanes);
  const folded = new Float64Array(labels * labels);
  for (let i = 0; i < rows.length; i += 1) {
    const before = Math.floor(i / (labels * components));
    folded[before * labels + (i % labels)]! += rows[i]!;
  }
  return folded;
}

/** Copies each label's value in `[rows x labels]` to all of its components. */
function unfoldRows(folded: Reals, rows: number, to: Reals, lanes: ComponentLanes): void {
  const { labels, components, width } = lanes;
  for (let row = 0; row < rows; row += 1) {
    for (let lane = 0; lane < labels * components; lane += 1) {
      to[row * width + lane] = folded[row * labels + Math.floor(lane / components)]!;
    }
  }
}

/** Copies each label pair's value to all pairs of their components. */
function unfoldSquare(folded: Reals, to: Reals, lanes: ComponentLanes): void {
  const { labels, components, width } = lanes;
  for (let i = 0; i < labels * components; i += 1) {
    const before = Math.floor(i / components) * labels;
    for (let j = 0; j < labels * components; j += 1) {
      to[i * width + j] = folded[before + Math.floor(j / components)]!;
    }
  }
}

/** The options of optimizers that count tables: see `Smoothing`. */
export const smoothingShape = {
  k: z
    .number()
    .positive()
    .default(0.001)
    .describe('added to the count of each word or class under each label'),
  transitionK: z
    .number()
    .positive()
    .default(1)
    .describe('added to the count of each transition and of each initial label'),
  minCount: z
    .int()
    .min(1)
    .default(2)
    .describe('minimum count for a word to get its own entry; rarer words count as their class'),
  varianceFloor: z
    .number()
    .positive()
    .default(1e-6)
    .describe(
      'minimum variance of the numbers of %v, in the square of their unit; minimum eigenvalue of full covariances',
    ),
  shrinkage: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('share by which full covariances shrink towards 0; variances are unchanged'),
};

/**
 * Returns the parameter tables for an optimizer that counts.
 *
 * @throws TagstreamError `config` if the parameters are not tables, or in float32
 */
export function countableTables(
  optimizer: string,
  { layout, precision }: Pick<ParameterStore, 'layout' | 'precision'>,
): readonly TableRole[] {
  const { tables, scorer = 'linear' } = layout;
  if (tables === undefined) {
    throw new TagstreamError(
      'config',
      `the optimizer ${optimizer} cannot be combined with the scorer ${scorer}`,
      { fix: `use model: { scorer: ${scorersWith('tables').join(' or ')} }, or another optimizer` },
    );
  }
  if (precision !== 'float64') {
    throw new TagstreamError('config', 'float32 is not precise enough for counts', {
      fix: 'train with the kernel simd64 or reference; any kernel can tag with the model',
    });
  }
  return tables;
}
