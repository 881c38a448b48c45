import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * The label pairs of a sentence's neighbouring tokens; those of token t are
 * `[starts[t], starts[t + 1])`.
 */
export interface SparsePairs {
  readonly starts: Uint32Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly values: Float64Array;
}

const ascending = (a: number, b: number) => a - b;

/**
 * Sums the probabilities of labels, and of neighbouring pairs, that are reported as the same label,
 * and keeps the pairs above a threshold. Computes in float64, so that pairs add up to the label
 * probabilities.
 */
export class PairSums {
  /** Number of the reported label for each label number. */
  readonly columns: Int32Array;
  readonly threshold: number;
  readonly #count: number;
  /** `[tokens x count]` p(y_t = y | x) for the sentence. */
  #nodes = new Float64Array(0);
  #token = 0;
  /** `[count x count]` the current token's sums. */
  readonly #sums: Float64Array;
  /** Indices of the nonzero entries of `#sums`. */
  #touched: number[] = [];
  #starts: number[] = [];
  #pairs: number[] = [];
  #values: number[] = [];

  /** @param count number of reported labels */
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

  /** Adds to the probability of a reported label at the current token. */
  addLabel(column: number, probability: number): void {
    this.#nodes[this.#token * this.#count + column]! += probability;
  }

  /**
   * Returns the probability of a label at a token, including that of labels reported as the same.
   */
  ofLabel(token: number, label: number): number {
    return this.#nodes[token * this.#count + this.columns[label]!]!;
  }

  /** Whether a reported label of the current token may be part of a pair above the threshold. */
  isLikely(column: number): boolean {
    return this.#nodes[this.#token * this.#count + column]! > this.threshold;
  }

  /** Adds to the probability of a pair of reported labels at the previous and the current token. */
  add(from: number, to: number, probability: number): void {
    if (probability === 0) return;
    const at = from * this.#count + to;
    if (this.#sums[at] === 0) this.#touched.push(at);
    this.#sums[at]! += probability;
  }

  /** Advances to the next token. */
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

  /** Returns the pairs of the sentence, ordered by token, then by previous label. */
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
 * Adds p(y_{t-1} = y', y_t = y | x) for the neighbouring tokens of sentence `s` of a chain to `sums`:
 *
 *     alpha_{t-1}(y') exp(a_t(y', y)) exp(e_t(y)) beta_t(y) / c_t
 *
 * from the results of forward-backward, including node marginals and backward vectors
 * (`Lattice.readsBackward`). A pair is at most as probable as either of its labels, so labels at or
 * below the threshold are skipped: cost O(T L + pairs of labels above it). Gupta, equation 19.
 *
 * @param logZ from the log-space recursion; undefined after the scaled one
 * @param columns maps each label number to the number of the reported label
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

/** The labels of a token and of its predecessor whose reported label is above a threshold. */
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

  /** Adds up the labels of the next token. @param row offset of the token in `nodes` */
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
