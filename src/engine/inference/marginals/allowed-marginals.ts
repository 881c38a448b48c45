import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../../kernels/lattice.js';

/**
 * The same limits as in the kernels' scaled recursions: smaller values may have lost relevant
 * paths.
 */
const limits = {
  float64: { leastValue: 2 ** -900, leastScale: 2 ** -100 },
  float32: { leastValue: 2 ** -100, leastScale: 2 ** -60 },
} as const;

/**
 * Forward-backward over the allowed label sequences of a minibatch's sentences: a scaled recursion
 * in float64 that visits only allowed labels. Needs the lattice's exponentials; no label may occur
 * twice at a token. Its memory grows with the longest sentence.
 */
export class AllowedMarginals {
  readonly #lattice: Lattice;
  /**
   * The offsets of the allowed labels: those of token t of the sentence are
   * `[starts[t], starts[t + 1])`, all labels if the token is unconstrained.
   */
  #starts = new Uint32Array(1);
  #labels = new Uint32Array(0);
  #alpha = new Float64Array(0);
  #beta = new Float64Array(0);
  /** exp(e_t(y)) beta_t(y) / c_t. */
  #outgoing = new Float64Array(0);
  #scales = new Float64Array(0);
  #first = 0;
  #length = 0;

  constructor(lattice: Lattice) {
    this.#lattice = lattice;
  }

  /**
   * Subtracts the marginals from the node, edge and transition tables of sentence `s`; returns log Z_A.
   * Returns NaN, without any change, if a value underflows. Cost O(sum of |A_{t-1}| |A_t|).
   */
  subtract(s: number): number {
    this.#open(s);
    const logZ = this.#forward();
    if (Number.isNaN(logZ) || !this.#backward()) return Number.NaN;
    this.#subtractNodes();
    this.#subtractEdges(s);
    return logZ;
  }

  #open(s: number): void {
    const { labels, batch } = this.#lattice;
    const { sentenceStarts } = batch!;
    const allowedStarts = batch!.allowedStarts!;
    const allowedLabels = batch!.allowedLabels!;
    const first = sentenceStarts[s]!;
    const length = sentenceStarts[s + 1]! - first;
    this.#first = first;
    this.#length = length;
    this.#fit(length);
    let next = 0;
    for (let t = 0; t < length; t += 1) {
      this.#starts[t] = next;
      const from = allowedStarts[first + t]!;
      const to = allowedStarts[first + t + 1]!;
      const count = from === to ? labels : to - from;
      for (let k = 0; k < count; k += 1) {
        this.#labels[next + k] = from === to ? k : allowedLabels[from + k]!;
      }
      next += count;
    }
    this.#starts[length] = next;
  }

  #fit(tokens: number): void {
    const { width } = this.#lattice;
    if (this.#starts.length <= tokens) {
      this.#starts = new Uint32Array(2 * tokens + 1);
      this.#scales = new Float64Array(2 * tokens);
    }
    if (this.#labels.length >= tokens * width) return;
    const numbers = 2 * tokens * width;
    this.#labels = new Uint32Array(numbers);
    this.#alpha = new Float64Array(numbers);
    this.#beta = new Float64Array(numbers);
    this.#outgoing = new Float64Array(numbers);
  }

  /** Computes alpha_t(y), indexed by allowed labels; returns log Z_A. */
  #forward(): number {
    const lattice = this.#lattice;
    const { leastValue, leastScale } = limits[lattice.nodes.precision];
    const emissions = lattice.expEmissions.view;
    const maxima = lattice.emissionMaxima.view;
    const alpha = this.#alpha;
    const labels = this.#labels;
    let logZ = 0;
    let before = 0;
    for (let t = 0; t < this.#length; t += 1) {
      const start = this.#starts[t]!;
      const end = this.#starts[t + 1]!;
      const row = (this.#first + t) * lattice.width;
      const matrix = t === 0 ? emissions : this.#matrixInto(t);
      const base = this.#baseOf(t);
      let scale = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let k = start; k < end; k += 1) {
        const y = labels[k]!;
        let sum = t === 0 ? 1 : 0;
        for (let j = before; j < start; j += 1) {
          sum += alpha[j]! * matrix[base + labels[j]! * lattice.width + y]!;
        }
        const value = sum * emissions[row + y]!;
        alpha[k] = value;
        scale += value;
        if (value < least) least = value;
      }
      if (!(scale >= leastScale && scale < Number.POSITIVE_INFINITY && least >= leastValue)) {
        return Number.NaN;
      }
      for (let k = start; k < end; k += 1) alpha[k]! /= scale;
      this.#scales[t] = scale;
      logZ += Math.log(scale) + maxima[this.#first + t]! + (t === 0 ? 0 : this.#maximumInto(t));
      before = start;
    }
    return logZ;
  }

  /** Computes beta_t(y), indexed likewise; returns false if a value underflows. */
  #backward(): boolean {
    const lattice = this.#lattice;
    const { leastValue } = limits[lattice.nodes.precision];
    const emissions = lattice.expEmissions.view;
    const beta = this.#beta;
    const outgoing = this.#outgoing;
    const labels = this.#labels;
    const last = this.#length - 1;
    for (let k = this.#starts[last]!; k < this.#starts[last + 1]!; k += 1) beta[k] = 1;
    for (let t = last; t > 0; t -= 1) {
      const start = this.#starts[t]!;
      const end = this.#starts[t + 1]!;
      const row = (this.#first + t) * lattice.width;
      const matrix = this.#matrixInto(t);
      const base = this.#baseOf(t);
      for (let k = start; k < end; k += 1) {
        outgoing[k] = (emissions[row + labels[k]!]! * beta[k]!) / this.#scales[t]!;
      }
      for (let j = this.#starts[t - 1]!; j < start; j += 1) {
        const from = base + labels[j]! * lattice.width;
        let total = 0;
        for (let k = start; k < end; k += 1) total += matrix[from + labels[k]!]! * outgoing[k]!;
        if (!(total >= leastValue && total < Number.POSITIVE_INFINITY)) return false;
        beta[j] = total;
      }
    }
    return true;
  }

  #subtractNodes(): void {
    const { width, nodes } = this.#lattice;
    const view = nodes.view;
    for (let t = 0; t < this.#length; t += 1) {
      const row = (this.#first + t) * width;
      for (let k = this.#starts[t]!; k < this.#starts[t + 1]!; k += 1) {
        view[row + this.#labels[k]!]! -= this.#alpha[k]! * this.#beta[k]!;
      }
    }
  }

  #subtractEdges(s: number): void {
    const { width, matrixSize, edgeSlots, edges, transitions } = this.#lattice;
    const own = edges.view;
    const sums = transitions.view;
    const labels = this.#labels;
    for (let t = 1; t < this.#length; t += 1) {
      const slot = edgeSlots[this.#first + t]!;
      const matrix = this.#matrixInto(t);
      const base = this.#baseOf(t);
      const start = this.#starts[t]!;
      for (let j = this.#starts[t - 1]!; j < start; j += 1) {
        const from = labels[j]! * width;
        for (let k = start; k < this.#starts[t + 1]!; k += 1) {
          const at = from + labels[k]!;
          const marginal = this.#alpha[j]! * matrix[base + at]! * this.#outgoing[k]!;
          sums[s * matrixSize + at]! -= marginal;
          if (slot >= 0) own[base + at]! -= marginal;
        }
      }
    }
  }

  /** Returns the exponentials of the transitions into token t, which begin at `#baseOf(t)`. */
  #matrixInto(t: number): Reals {
    const { edgeSlots, expTransitions, expEdges } = this.#lattice;
    return edgeSlots[this.#first + t]! < 0 ? expTransitions.view : expEdges.view;
  }

  #baseOf(t: number): number {
    return Math.max(0, this.#lattice.edgeSlots[this.#first + t]!) * this.#lattice.matrixSize;
  }

  /** Returns the maximum subtracted from the transition scores into token t before exp. */
  #maximumInto(t: number): number {
    const slot = this.#lattice.edgeSlots[this.#first + t]!;
    return slot < 0 ? this.#lattice.transitionMaximum : this.#lattice.edgeMaxima.view[slot]!;
  }
}
