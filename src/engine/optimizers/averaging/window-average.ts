import type { Reals } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import {
  type State,
  stateArray,
  stateCount,
  stateNumber,
  wrongState,
} from '../../core/training/state.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { AveragedRows, gainOf } from '../../kernels/rows/averaged-rows.js';
import { tables } from '../../kernels/rows/coalesced-gradient.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { OptimizerContext } from '../optimizer.js';
import { copyPlane, planeArrays, restorePlane } from '../planes/planes.js';

type Table = (typeof tables)[number];

/**
 * The average of the weights after each sentence over an exponential window: the last sentence counts 1, the one before it
 * rho = 1 - 1/W, and so on. After n sentences
 *
 *     a_n = (w_n + rho w_{n-1} + ... + rho^{n-b-1} w_{b+1}) / (1 + rho + ... + rho^{n-b-1})
 *
 * where b sentences preceded the creation of the parameter: it is averaged over its own lifetime.
 *
 * A row changes only in sentences with its feature, so its average is updated when the row is touched or read: for k
 * sentences with the mean weight m,
 *
 *     a <- m + f (a - m),  f = rho^k (1 - rho^{n-k-b}) / (1 - rho^{n-b})
 *
 * m is w, or, if w is `scale * v`, v times the mean scale. Cost O(active features * L) per sentence, and O(all weights)
 * to deploy.
 */
export class WindowAverage {
  readonly #kernel: Pick<Kernel, 'averageRows'>;
  readonly #parameters: ParameterStore;
  readonly #decay: number;
  /** rho^k for k = 0, 1, ... */
  readonly #powers: Float64Array;
  readonly #averages: Plane;
  readonly #isScaled: boolean;
  readonly #ages = { state: new RowAges(), edges: new RowAges(), pairs: new RowAges() };
  /** The sentence at which each label was created. */
  #labelsAt: number[] = [];
  /** For each label, the remaining weight of its first sentence: rho^(n - b). */
  #labelRests = new Float64Array(0);
  /** The labels' gains and losses, and the largest gain: see `AveragedRows`. */
  #lanes = new Float64Array(0);
  #mostGain = 1;
  #restsAt = -1;
  readonly #lists = { state: new AveragedRows('state'), edges: new AveragedRows('edges') };
  #count = 0;
  #scaleSum = 0;

  /**
   * @param window W, in sentences
   * @param isScaled whether `ParameterStore.scale` shrinks the weights between sentences
   * @throws TagstreamError `config` if weights have no rows
   */
  constructor(
    { kernel, parameters }: Pick<OptimizerContext, 'kernel' | 'parameters'>,
    window: number,
    isScaled = false,
  ) {
    if (parameters.statePairs !== undefined) throw withoutRows();
    this.#kernel = kernel;
    this.#parameters = parameters;
    this.#decay = 1 - 1 / window;
    this.#powers = Float64Array.from({ length: mostPowers }, (_, k) => this.#decay ** k);
    this.#averages = parameters.addPlane();
    this.#isScaled = isScaled;
  }

  /** Registers new parameters as created now; call before each batch. */
  prepare(): void {
    const { reused, labels } = this.#parameters;
    for (const table of tables)
      this.#ages[table].reserve(this.#rows(table), this.#count, this.#scaleSum);
    for (const row of reused.state) this.#ages.state.create(row, this.#count, this.#scaleSum);
    for (const block of reused.edges) this.#ages.edges.create(block, this.#count, this.#scaleSum);
    while (this.#labelsAt.length < labels) this.#labelsAt.push(this.#count);
    this.#restsAt = -1;
  }

  /** Brings the averages of the rows of sentence `s` up to date; call before their weights change. */
  before(minibatch: Minibatch, s: number): void {
    const store = this.#parameters;
    const { sentenceStarts, stateStarts, stateRows, edgeStarts, edgeRows } = minibatch;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    const last = stateStarts[end]!;
    for (let k = stateStarts[first]!; k < last; k += 1) this.#bring('state', stateRows[k]!);
    if (store.scoresTransitions(end - first)) this.#bring('edges', 0);
    if (edgeStarts !== undefined) {
      const { heads, next } = store.pairs;
      for (let k = edgeStarts[first + 1]!; k < edgeStarts[end]!; k += 1) {
        const feature = edgeRows![k]!;
        if (store.hasEdgeBlocks) this.#bring('edges', feature);
        else for (let p = heads[feature]!; p >= 0; p = next[p]!) this.#bring('pairs', p);
      }
    }
    this.#averageLists();
  }

  /** Counts the sentence; call after its update. */
  after(): void {
    this.#count += 1;
    this.#scaleSum = this.#decay * this.#scaleSum + this.#parameters.scale;
  }

  /** Returns the averages, brought up to date for the rows of a minibatch; undefined before the first sentence. */
  served(minibatch: Minibatch): Plane | undefined {
    if (this.#count === 0) return undefined;
    for (let s = 0; s < minibatch.labelled.length; s += 1) this.before(minibatch, s);
    return this.#averages;
  }

  /** Brings all averages up to date; call before rescaling v <- s v and s <- 1. */
  beforeRescaling(): void {
    this.#each((table, row) => this.#bring(table, row));
    this.#averageLists();
  }

  /** Writes the averages into `target`, which may be the weights themselves. */
  deploy(target: Plane): void {
    if (this.#count === 0) {
      const { weights, scale } = this.#parameters;
      copyPlane(weights, target, scale);
      return;
    }
    this.#each((table, row) => this.#advance(table, row, target[table].view));
  }

  #each(visit: (table: Table, row: number) => void): void {
    for (const table of tables) {
      const rows = this.#rows(table);
      for (let row = 0; row < rows; row += 1) visit(table, row);
    }
  }

  /** Returns the number of rows of a table: state features, blocks of edge features, or single pairs. */
  #rows(table: Table): number {
    const { stateRows, edgeRows, hasEdgeBlocks, pairs } = this.#parameters;
    if (table === 'state') return stateRows;
    return table === 'pairs' ? pairs.size : hasEdgeBlocks ? edgeRows : 1;
  }

  #bring(table: Table, row: number): void {
    const { numbers } = this.#ages[table];
    const at = ageNumbers * row;
    const missed = this.#count - numbers[at]!;
    if (missed === 0) return;
    if (table === 'pairs') this.#advance(table, row, this.#averages[table].view);
    else {
      const kept = this.#power(missed);
      const rest = this.#power(this.#count - numbers[at + 1]!);
      const scale = this.#isScaled ? this.#meanScale(kept, numbers[at + 2]!) : 1;
      if (table === 'state') this.#lists.state.add(row, kept, rest, scale);
      else this.#listBlock(row, kept, rest, scale);
    }
    numbers[at] = this.#count;
    numbers[at + 2] = this.#scaleSum;
  }

  /** Lists the rows of a transition block, one per previous label. */
  #listBlock(block: number, kept: number, rest: number, scale: number): void {
    const { labels, labelCapacity } = this.#parameters;
    const rests = this.#rests();
    for (let from = 0; from < labels; from += 1) {
      const own = Math.max(rest, rests[from]!);
      this.#lists.edges.add(block * labelCapacity + from, kept, own, scale);
    }
  }

  #averageLists(): void {
    const { state, edges } = this.#lists;
    if (state.count + edges.count === 0) return;
    this.#rests();
    for (const list of [state, edges]) {
      list.lanes = this.#lanes;
      list.most = this.#mostGain;
      this.#kernel.averageRows(this.#parameters, this.#averages, list);
      list.count = 0;
    }
  }

  /** Writes the averages of a row after all sentences into `target`. */
  #advance(table: Table, row: number, target: Reals): void {
    const { numbers } = this.#ages[table];
    const missed = this.#count - numbers[ageNumbers * row]!;
    const { width, matrixSize } = this.#parameters;
    const size = table === 'state' ? width : table === 'edges' ? matrixSize : 1;
    const first = row * size;
    const averages = this.#averages[table].view;
    if (missed === 0) {
      if (averages !== target) target.set(averages.subarray(first, first + size), first);
      return;
    }
    const kept = this.#power(missed);
    const scale = this.#isScaled ? this.#meanScale(kept, numbers[ageNumbers * row + 2]!) : 1;
    const weights = this.#parameters.weights[table].view;
    const rests = this.#rests();
    const rowRest = this.#power(this.#count - numbers[ageNumbers * row + 1]!);
    for (let i = 0; i < size; i += 1) {
      const at = first + i;
      const weight = weights[at]!;
      const average = averages[at]!;
      // Most weights are and always were zero.
      if (weight === 0 && average === 0) {
        target[at] = 0;
        continue;
      }
      const mean = scale * weight;
      let rest = rowRest;
      if (table !== 'pairs') rest = Math.max(rest, rests[i % width]!);
      if (table === 'edges') rest = Math.max(rest, rests[(i / width) | 0]!);
      target[at] = kept > rest ? mean + ((kept - rest) / (1 - rest)) * (average - mean) : mean;
    }
  }

  #power(sentences: number): number {
    return sentences < mostPowers ? this.#powers[sentences]! : this.#decay ** sentences;
  }

  /** Returns the mean scale since the decayed sum of scales was `before`. */
  #meanScale(kept: number, before: number): number {
    return ((this.#scaleSum - kept * before) * (1 - this.#decay)) / (1 - kept);
  }

  /**
   * Returns the remaining weight of each label's first sentence; 0 for lanes that have no label yet.
   */
  #rests(): Float64Array {
    if (this.#restsAt === this.#count) return this.#labelRests;
    const { labels, width } = this.#parameters;
    if (this.#labelRests.length !== width) {
      this.#labelRests = new Float64Array(width);
      this.#lanes = new Float64Array(2 * width);
    }
    this.#mostGain = 1;
    for (let y = 0; y < labels; y += 1) {
      const rest = this.#power(this.#count - this.#labelsAt[y]!);
      const gain = gainOf(rest);
      this.#labelRests[y] = rest;
      this.#lanes[y] = gain;
      this.#lanes[width + y] = rest * gain;
      this.#mostGain = Math.max(this.#mostGain, gain);
    }
    this.#restsAt = this.#count;
    return this.#labelRests;
  }

  save(): State {
    const ages = tables.map(table => [
      `ages.${table}Rows`,
      this.#ages[table].save(this.#rows(table)),
    ]);
    return {
      json: { scaleSum: this.#scaleSum, count: this.#count, labelsAt: [...this.#labelsAt] },
      arrays: { ...planeArrays('average', this.#averages), ...Object.fromEntries(ages) },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is incomplete */
  restore(state: State): void {
    this.#scaleSum = stateNumber(state, 'scaleSum');
    this.#count = stateCount(state, 'count');
    const { labelsAt } = state.json;
    if (!Array.isArray(labelsAt)) throw wrongState('there are no times of labels');
    this.#labelsAt = [...labelsAt];
    restorePlane('average', this.#averages, state);
    for (const table of tables) this.#ages[table].restore(state, `ages.${table}Rows`);
    this.#restsAt = -1;
  }
}

/** Numbers per row: sentences in its average, sentences before its creation, and the sum of scales. */
const ageNumbers = 3;

/** The age numbers of a table's rows, row by row. */
class RowAges {
  numbers: Float64Array = new Float64Array(0);
  #rows = 0;

  /** Makes room for `rows` rows; new ones count as created at sentence `now`. */
  reserve(rows: number, now: number, scaleSum: number): void {
    if (ageNumbers * rows > this.numbers.length) {
      const { numbers } = this;
      this.numbers = new Float64Array(Math.max(ageNumbers * rows, 2 * numbers.length));
      this.numbers.set(numbers);
    }
    for (let row = this.#rows; row < rows; row += 1) this.create(row, now, scaleSum);
    this.#rows = Math.max(this.#rows, rows);
  }

  /** Restarts a row for a new feature. */
  create(row: number, now: number, scaleSum: number): void {
    this.numbers[ageNumbers * row] = now;
    this.numbers[ageNumbers * row + 1] = now;
    this.numbers[ageNumbers * row + 2] = scaleSum;
  }

  save(rows: number): Float64Array {
    return this.numbers.subarray(0, ageNumbers * rows);
  }

  restore(state: State, name: string): void {
    this.numbers = stateArray(state, name, [Float64Array]).slice();
    this.#rows = this.numbers.length / ageNumbers;
  }
}

/** Maximum number of powers in the table. */
const mostPowers = 2 ** 15;

function withoutRows(): TagstreamError {
  return new TagstreamError(
    'config',
    'average: { window } cannot be combined with compressed weights',
    {
      fix: 'leave compressed or average out',
    },
  );
}
