import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';

/** Pairs of the labels of neighbouring tokens of a sentence, those of token t from `starts[t]` to before `starts[t + 1]`. */
export interface SparsePairs {
  readonly starts: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly values: Float64Array;
}

const ascending = (a: number, b: number) => a - b;

/**
 * Sums the probabilities of labels, and of pairs of neighbouring ones, that are reported as one, and keeps the pairs above a
 * threshold. In float64: pairs add up to the probabilities of labels.
 */
export class PairSums {
  /** For the label of each number the number of what it is reported as. */
  readonly columns: Int32Array;
  readonly threshold: number;
  readonly #count: number;
  /** `[tokens x count]` p(y_t = y | x) of the sentence. */
  #nodes = new Float64Array(0);
  #token = 0;
  /** `[count x count]` the sums of the present token. */
  readonly #sums: Float64Array;
  /** Places in `#sums` that are not 0. */
  #touched: number[] = [];
  #starts: number[] = [];
  #pairs: number[] = [];
  #values: number[] = [];

  /** @param count of what labels are reported as */
  constructor(columns: Int32Array, count: number, threshold: number) {
    this.columns = columns;
    this.threshold = threshold;
    this.#count = count;
    this.#sums = new Float64Array(count * count);
  }

  /** Starts a sentence of `tokens` tokens. */
  open(tokens: number): void {
    this.#nodes = new Float64Array(tokens * this.#count);
    this.#token = 0;
    this.#starts = [0];
    this.#pairs = [];
    this.#values = [];
  }

  /** Adds to the probability of a label of the present token, by the number that it is reported as. */
  addLabel(column: number, probability: number): void {
    this.#nodes[this.#token * this.#count + column]! += probability;
  }

  /** Probability of a label at a token of the sentence, with those that are reported alike. */
  ofLabel(token: number, label: number): number {
    return this.#nodes[token * this.#count + this.columns[label]!]!;
  }

  /** Whether what a label of the present token is reported as may be part of a pair above the threshold. */
  isLikely(column: number): boolean {
    return this.#nodes[this.#token * this.#count + column]! > this.threshold;
  }

  /** Adds to the probability of a pair of the present token, by the numbers that labels are reported as. */
  add(from: number, to: number, probability: number): void {
    if (probability === 0) return;
    const at = from * this.#count + to;
    if (this.#sums[at] === 0) this.#touched.push(at);
    this.#sums[at]! += probability;
  }

  /** Goes on to the next token. */
  next(): void {
    const touched = this.#touched.sort(ascending);
    for (const at of touched) {
      const value = this.#sums[at]!;
      this.#sums[at] = 0;
      if (!(value > this.threshold)) continue;
      this.#pairs.push(at);
      this.#values.push(value);
    }
    touched.length = 0;
    this.#token += 1;
    this.#starts.push(this.#values.length);
  }

  /** What was found of the sentence, ordered by token, then by the label before. */
  finish(): SparsePairs {
    const count = this.#count;
    return {
      starts: Uint32Array.from(this.#starts),
      from: Uint32Array.from(this.#pairs, at => Math.floor(at / count)),
      to: Uint32Array.from(this.#pairs, at => at % count),
      values: Float64Array.from(this.#values),
    };
  }
}

/**
 * p(y_{t-1} = y', y_t = y | x) of the neighbouring tokens of sentence `s` of a chain, into `sums`:
 *
 *     alpha_{t-1}(y') exp(a_t(y', y)) exp(e_t(y)) beta_t(y) / c_t
 *
 * from what forward-backward has left, node marginals and backward vectors included (`Lattice.readsBackward`). A pair is no
 * more probable than either of its labels, so that labels at or below the threshold are passed over: cost
 * O(T L + pairs of the labels above it). Gupta, equation 19.
 *
 * @param logZ of log space; undefined where the scaled recursion has run
 * @param columns for the label of each number the number of what it is reported as
 */
export function chainPairs(
  lattice: Lattice,
  s: number,
  logZ: number | undefined,
  columns: Int32Array,
  sums: PairSums,
): void {
  const { batch, labels, width, matrixSize, edgeSlots } = lattice;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  const inLogs = logZ !== undefined;
  const alpha = (inLogs ? lattice.logAlpha : lattice.alpha).view;
  const beta = (inLogs ? lattice.logBeta : lattice.beta).view;
  const emissions = (inLogs ? lattice.emissionScores : lattice.expEmissions).view;
  const shared = (inLogs ? lattice.transitionScores : lattice.expTransitions).view;
  const own = (inLogs ? lattice.edgeScores : lattice.expEdges).view;
  const nodes = lattice.nodes.view;
  const scales = lattice.scales.view;
  const likely = new LikelyLabels(columns, sums);
  sums.open(end - first);
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    likely.next(nodes, row, labels);
    const slot = edgeSlots[t]!;
    const matrix = slot < 0 ? shared : own;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let i = 0; i < likely.before; i += 1) {
      const from = likely.labelsBefore[i]!;
      const before = alpha[row - width + from]!;
      for (let j = 0; j < likely.count; j += 1) {
        const y = likely.labels[j]!;
        const transition = matrix[base + from * width + y]!;
        const probability = inLogs
          ? Math.exp(before + transition + emissions[row + y]! + beta[row + y]! - logZ)
          : (before * transition * emissions[row + y]! * beta[row + y]!) / scales[t]!;
        sums.add(columns[from]!, columns[y]!, probability);
      }
    }
    sums.next();
  }
}

/** The labels of a token, and of the token before, that are part of something reported that is above a threshold. */
class LikelyLabels {
  readonly #columns: Int32Array;
  readonly #pairs: PairSums;
  labels: Int32Array;
  labelsBefore: Int32Array;
  count = 0;
  before = 0;

  constructor(columns: Int32Array, pairs: PairSums) {
    this.#columns = columns;
    this.#pairs = pairs;
    this.labels = new Int32Array(columns.length);
    this.labelsBefore = new Int32Array(columns.length);
  }

  /** Adds up the labels of the next token. @param row of the token in `nodes` */
  next(nodes: Reals, row: number, labels: number): void {
    const columns = this.#columns;
    const free = this.labelsBefore;
    this.labelsBefore = this.labels;
    this.before = this.count;
    this.labels = free;
    this.count = 0;
    for (let y = 0; y < labels; y += 1) this.#pairs.addLabel(columns[y]!, nodes[row + y]!);
    for (let y = 0; y < labels; y += 1) {
      if (!(nodes[row + y]! > 0 && this.#pairs.isLikely(columns[y]!))) continue;
      free[this.count] = y;
      this.count += 1;
    }
  }
}
