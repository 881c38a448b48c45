import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';
import { ScaledConditionals } from './scaled-conditionals.js';

/**
 * Sums, over the tokens t of a sentence, the marginals conditioned on token t having certain labels,
 * with a weight per token:
 *
 *     sum_t w_t p(y_k = y | x, y_t in A_t),   likewise for the edges
 *
 * A single additional forward-backward pass computes all of them, because the labels before and
 * after a token are independent given its label:
 *
 *     before_k(y) = sum_y' before_{k-1}(y') p(y_k = y | y_{k-1} = y') + source_k(y)
 *     after_{k-1}(y') = sum_y after_k(y) p(y_{k-1} = y' | y_k = y) + source_{k-1}(y')
 *     source_t(y) = w_t p(y_t = y | x, y_t in A_t)
 *
 * All terms are positive: nothing cancels. Uses the results of the kernel's forward-backward,
 * scaled or in log space, and computes in float64. Cost O(T L^2); in log space, this is also the
 * number of exponentials. Its memory grows with the longest sentence.
 */
export class ConditionalMarginals {
  readonly #lattice: Lattice;
  readonly #scaled: ScaledConditionals;
  /** `[T x width]` source_t(y), which the caller fills in after `open`. */
  sources = new Float64Array(0);
  #before = new Float64Array(0);
  #after = new Float64Array(0);
  #conditionals = new Float64Array(0);
  #sums = new Float64Array(0);

  constructor(lattice: Lattice) {
    this.#lattice = lattice;
    this.#scaled = new ScaledConditionals(lattice);
  }

  /** Makes room for sentence `s` and sets its sources to zero. */
  open(s: number): void {
    const { batch, width, matrixSize } = this.#lattice;
    const length = batch!.sentenceStarts[s + 1]! - batch!.sentenceStarts[s]!;
    const numbers = length * width;
    if (this.sources.length < numbers) {
      this.sources = new Float64Array(2 * numbers);
      this.#before = new Float64Array(2 * numbers);
      this.#after = new Float64Array(2 * numbers);
    }
    if (this.#sums.length < matrixSize) {
      this.#sums = new Float64Array(matrixSize);
      this.#conditionals = new Float64Array(matrixSize);
    }
    this.sources.fill(0, 0, numbers);
  }

  /**
   * Subtracts the sums from the node, edge and transition tables of sentence `s`.
   *
   * @param inLogs whether the last recursion on the sentence was `forwardBackwardLog` rather than the
   * scaled one
   */
  subtract(s: number, inLogs: boolean): void {
    const { batch, width, matrixSize, labels, nodes, transitions } = this.#lattice;
    const first = batch!.sentenceStarts[s]!;
    const numbers = (batch!.sentenceStarts[s + 1]! - first) * width;
    this.#sums.fill(0, 0, matrixSize);
    this.#before.set(this.sources.subarray(0, numbers));
    this.#after.set(this.sources.subarray(0, numbers));
    if (inLogs) {
      this.#forwardInLogs(first, numbers);
      this.#backwardInLogs(first, numbers);
    } else {
      this.#scaled.sweep(first, numbers / width, this.#before, this.#after, this.#sums);
    }
    const view = nodes.view;
    const { sources } = this;
    const before = this.#before;
    const after = this.#after;
    for (let row = 0; row < numbers; row += width) {
      const at = first * width + row;
      for (let y = 0; y < labels; y += 1) {
        view[at + y]! -= before[row + y]! + after[row + y]! - sources[row + y]!;
      }
    }
    const sums = transitions.view;
    for (let i = 0; i < matrixSize; i += 1) sums[s * matrixSize + i]! -= this.#sums[i]!;
  }

  #forwardInLogs(first: number, numbers: number): void {
    const { labels, width } = this.#lattice;
    const before = this.#before;
    const conditionals = this.#conditionals;
    for (let row = width; row < numbers; row += width) {
      const t = first + row / width;
      this.#nextInLogs(t);
      for (let from = 0; from < labels; from += 1) {
        const mass = before[row - width + from]!;
        const at = from * width;
        for (let y = 0; y < labels; y += 1) {
          const pair = mass * conditionals[at + y]!;
          conditionals[at + y] = pair;
          before[row + y]! += pair;
        }
      }
      this.#takePairs(t);
    }
  }

  #backwardInLogs(first: number, numbers: number): void {
    const { labels, width } = this.#lattice;
    const after = this.#after;
    const conditionals = this.#conditionals;
    for (let row = numbers - width; row > 0; row -= width) {
      const t = first + row / width;
      this.#previousInLogs(t);
      for (let from = 0; from < labels; from += 1) {
        const at = from * width;
        let mass = 0;
        for (let y = 0; y < labels; y += 1) {
          const pair = after[row + y]! * conditionals[at + y]!;
          conditionals[at + y] = pair;
          mass += pair;
        }
        after[row - width + from]! += mass;
      }
      this.#takePairs(t);
    }
  }

  #nextInLogs(t: number): void {
    const { labels, width, logBeta, emissionScores } = this.#lattice;
    const matrix = this.#scoresInto(t);
    const base = this.#baseOf(t);
    const betas = logBeta.view;
    const emissions = emissionScores.view;
    const row = t * width;
    for (let from = 0; from < labels; from += 1) {
      const total = betas[row - width + from]!;
      const at = from * width;
      for (let y = 0; y < labels; y += 1) {
        const outgoing = emissions[row + y]! + betas[row + y]! - total;
        this.#conditionals[at + y] = Math.exp(matrix[base + at + y]! + outgoing);
      }
    }
  }

  #previousInLogs(t: number): void {
    const { labels, width, logAlpha, emissionScores } = this.#lattice;
    const matrix = this.#scoresInto(t);
    const base = this.#baseOf(t);
    const alphas = logAlpha.view;
    const emissions = emissionScores.view;
    const row = t * width;
    for (let from = 0; from < labels; from += 1) {
      const mass = alphas[row - width + from]!;
      const at = from * width;
      for (let y = 0; y < labels; y += 1) {
        const incoming = emissions[row + y]! - alphas[row + y]!;
        this.#conditionals[at + y] = Math.exp(mass + matrix[base + at + y]! + incoming);
      }
    }
  }

  /**
   * Sums the label pairs at token t, and subtracts them from the token's own table if it has one.
   */
  #takePairs(t: number): void {
    const { labels, width, matrixSize, edgeSlots, edges } = this.#lattice;
    const slot = edgeSlots[t]!;
    const own = slot < 0 ? undefined : edges.view;
    for (let row = 0; row < labels * width; row += width) {
      for (let i = row; i < row + labels; i += 1) {
        const pair = this.#conditionals[i]!;
        this.#sums[i]! += pair;
        if (own !== undefined) own[slot * matrixSize + i]! -= pair;
      }
    }
  }

  #scoresInto(t: number): Reals {
    const { edgeSlots, transitionScores, edgeScores } = this.#lattice;
    return edgeSlots[t]! < 0 ? transitionScores.view : edgeScores.view;
  }

  #baseOf(t: number): number {
    return Math.max(0, this.#lattice.edgeSlots[t]!) * this.#lattice.matrixSize;
  }
}
