import type { Reals } from '../core/reals.js';
import type { Lattice } from '../kernels/lattice.js';

/**
 * Sums over the tokens t of a sentence of the marginals that hold where token t is known to have certain
 * labels, each token with a weight of its own:
 *
 *     sum_t w_t p(y_k = y | x, y_t in A_t),   likewise for the edges
 *
 * One more forward-backward pass gives all of them, as the label before and the label after a token tell
 * nothing of each other once its own is known:
 *
 *     before_k(y) = sum_y' before_{k-1}(y') p(y_k = y | y_{k-1} = y') + source_k(y)
 *     after_{k-1}(y') = sum_y after_k(y) p(y_{k-1} = y' | y_k = y) + source_{k-1}(y')
 *     source_t(y) = w_t p(y_t = y | x, y_t in A_t)
 *
 * All terms are positive: nothing cancels. Works on what the kernel's forward-backward has left behind,
 * scaled or in log space, in float64 itself. Cost O(T L^2), in log space with as many exponentials. Its
 * memory grows with the longest sentence.
 */
export class ConditionalMarginals {
  readonly #lattice: Lattice;
  /** `[T x width]` source_t(y), to be filled in after `open`. */
  sources = new Float64Array(0);
  #before = new Float64Array(0);
  #after = new Float64Array(0);
  #conditionals = new Float64Array(0);
  #sums = new Float64Array(0);
  /** Of the scaled recursion, products left(y_{t-1}) exp(a) right(y_t): their factors. */
  #left = new Float64Array(0);
  #right = new Float64Array(0);
  #flow = new Float64Array(0);
  /** Sums of left(y_{t-1}) right(y_t) over the tokens whose exp(a) is that of plain transitions. */
  #products = new Float64Array(0);

  constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /** Makes room for sentence `s`, with sources of zero. */
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
      this.#products = new Float64Array(matrixSize);
      this.#left = new Float64Array(width);
      this.#right = new Float64Array(width);
      this.#flow = new Float64Array(width);
    }
    this.sources.fill(0, 0, numbers);
  }

  /**
   * Subtracts the sums from the node, edge and transition tables of sentence `s`.
   *
   * @param inLogs whether `forwardBackwardLog` was the last to work on the sentence, or the scaled one
   */
  subtract(s: number, inLogs: boolean): void {
    const { batch, width, matrixSize, labels, nodes, transitions, expTransitions } = this.#lattice;
    const first = batch!.sentenceStarts[s]!;
    const numbers = (batch!.sentenceStarts[s + 1]! - first) * width;
    this.#sums.fill(0, 0, matrixSize);
    this.#products.fill(0);
    this.#forward(first, numbers, inLogs);
    this.#backward(first, numbers, inLogs);
    const view = nodes.view;
    for (let row = 0; row < numbers; row += width) {
      for (let i = row; i < row + labels; i += 1) {
        const both = this.#before[i]! + this.#after[i]! - this.sources[i]!;
        view[first * width + i]! -= both;
      }
    }
    const sums = transitions.view;
    const plain = expTransitions.view;
    for (let i = 0; i < matrixSize; i += 1) {
      const pairs = inLogs ? this.#sums[i]! : this.#sums[i]! + this.#products[i]! * plain[i]!;
      sums[s * matrixSize + i]! -= pairs;
    }
  }

  #forward(first: number, numbers: number, inLogs: boolean): void {
    const { width } = this.#lattice;
    const before = this.#before;
    before.set(this.sources.subarray(0, numbers));
    for (let row = width; row < numbers; row += width) {
      const t = first + row / width;
      if (inLogs) {
        this.#nextInLogs(t);
        this.#spreadForward(row);
        this.#takePairs(t);
      } else {
        this.#next(t, row);
        this.#multiplyForward(row, this.#expsInto(t), this.#baseOf(t), this.#productsInto(t));
        this.#takeProducts(t);
      }
    }
  }

  #backward(first: number, numbers: number, inLogs: boolean): void {
    const { width } = this.#lattice;
    const after = this.#after;
    after.set(this.sources.subarray(0, numbers));
    for (let row = numbers - width; row > 0; row -= width) {
      const t = first + row / width;
      if (inLogs) {
        this.#previousInLogs(t);
        this.#spreadBackward(row);
        this.#takePairs(t);
      } else {
        this.#previous(t, row);
        this.#multiplyBackward(row, this.#expsInto(t), this.#baseOf(t), this.#productsInto(t));
        this.#takeProducts(t);
      }
    }
  }

  /** before_{t-1} p(y_t | y_{t-1}), with p = exp(a) exp(e_t) beta_t / (c_t beta_{t-1}). */
  #next(t: number, row: number): void {
    const { labels, width, beta, expEmissions, scales } = this.#lattice;
    const betas = beta.view;
    const emissions = expEmissions.view;
    const scale = scales.view[t]!;
    const at = t * width;
    for (let y = 0; y < labels; y += 1) {
      this.#left[y] = this.#before[row - width + y]! / (scale * betas[at - width + y]!);
      this.#right[y] = emissions[at + y]! * betas[at + y]!;
    }
  }

  /** after_t p(y_{t-1} | y_t), with p = alpha_{t-1} exp(a) exp(e_t) / (c_t alpha_t). */
  #previous(t: number, row: number): void {
    const { labels, width, alpha, expEmissions, scales } = this.#lattice;
    const alphas = alpha.view;
    const emissions = expEmissions.view;
    const scale = scales.view[t]!;
    const at = t * width;
    for (let y = 0; y < labels; y += 1) {
      this.#left[y] = alphas[at - width + y]!;
      this.#right[y] = (this.#after[row + y]! * emissions[at + y]!) / (scale * alphas[at + y]!);
    }
  }

  #multiplyForward(row: number, matrix: Reals, base: number, products: Float64Array): void {
    const { labels, width } = this.#lattice;
    const right = this.#right;
    const flow = this.#flow;
    flow.fill(0);
    for (let from = 0; from < labels; from += 1) {
      const mass = this.#left[from]!;
      const at = from * width;
      for (let y = 0; y < labels; y += 1) {
        flow[y]! += mass * matrix[base + at + y]!;
        products[at + y]! += mass * right[y]!;
      }
    }
    for (let y = 0; y < labels; y += 1) this.#before[row + y]! += flow[y]! * right[y]!;
  }

  #multiplyBackward(row: number, matrix: Reals, base: number, products: Float64Array): void {
    const { labels, width } = this.#lattice;
    const right = this.#right;
    for (let from = 0; from < labels; from += 1) {
      const mass = this.#left[from]!;
      const at = from * width;
      let flow = 0;
      for (let y = 0; y < labels; y += 1) {
        flow += matrix[base + at + y]! * right[y]!;
        products[at + y]! += mass * right[y]!;
      }
      this.#after[row - width + from]! += mass * flow;
    }
  }

  /** Where the products of a token's left and right factors go: those of plain transitions together. */
  #productsInto(t: number): Float64Array {
    if (this.#lattice.edgeSlots[t]! < 0) return this.#products;
    return this.#conditionals.fill(0);
  }

  /** Completes the pairs of a token that has a table of its own. */
  #takeProducts(t: number): void {
    if (this.#lattice.edgeSlots[t]! < 0) return;
    const matrix = this.#expsInto(t);
    const base = this.#baseOf(t);
    for (let i = 0; i < this.#conditionals.length; i += 1) {
      this.#conditionals[i]! *= matrix[base + i]!;
    }
    this.#takePairs(t);
  }

  #spreadForward(row: number): void {
    const { labels, width } = this.#lattice;
    for (let from = 0; from < labels; from += 1) {
      const mass = this.#before[row - width + from]!;
      const at = from * width;
      for (let y = 0; y < labels; y += 1) {
        const pair = mass * this.#conditionals[at + y]!;
        this.#conditionals[at + y] = pair;
        this.#before[row + y]! += pair;
      }
    }
  }

  #spreadBackward(row: number): void {
    const { labels, width } = this.#lattice;
    for (let from = 0; from < labels; from += 1) {
      const at = from * width;
      let mass = 0;
      for (let y = 0; y < labels; y += 1) {
        const pair = this.#after[row + y]! * this.#conditionals[at + y]!;
        this.#conditionals[at + y] = pair;
        mass += pair;
      }
      this.#after[row - width + from]! += mass;
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

  /** Adds the pairs at token t up, and takes them from its own table where it has one. */
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

  #expsInto(t: number): Reals {
    const { edgeSlots, expTransitions, expEdges } = this.#lattice;
    return edgeSlots[t]! < 0 ? expTransitions.view : expEdges.view;
  }

  #scoresInto(t: number): Reals {
    const { edgeSlots, transitionScores, edgeScores } = this.#lattice;
    return edgeSlots[t]! < 0 ? transitionScores.view : edgeScores.view;
  }

  #baseOf(t: number): number {
    return Math.max(0, this.#lattice.edgeSlots[t]!) * this.#lattice.matrixSize;
  }
}
