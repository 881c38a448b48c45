import { grown, type Reals } from '../../../core/arrays.js';
import type { Contribution } from '../../../core/training/contribution.js';

/**
 * The targets of tree fitting: for each sampled token, the labels with a non-negligible functional gradient, with
 * the first and second derivatives of the loss with respect to their potentials,
 *
 *     g = w (p(y_t = y | x) - [y*_t = y]),   h = w p (1 - p),
 *
 * with w the sentence's weight. If trees see the previous label y', a sample is a token after one label, and
 * p(y_{t-1} = y', y_t = y | x) and the pair's observation replace those of y. Samples with no residual left are
 * omitted.
 */
export class ResidualSamples {
  /** Number of samples, and their tokens as indices into the corpus. */
  size = 0;
  tokens = new Uint32Array(1024);
  /** Previous label of each sample; negative if trees do not see it. */
  previous = new Int32Array(1024);
  /** Where the labels of each sample begin, and the end of the last. */
  starts = new Uint32Array(1025);
  labels = new Uint16Array(4096);
  gradients = new Float64Array(4096);
  curvatures = new Float64Array(4096);
  /** Sum of g^2, including discarded gradients. */
  squares = 0;
  readonly #discard: number;

  /** @param discard maximum size of gradients that are dropped */
  constructor(discard: number) {
    this.#discard = discard;
  }

  clear(): void {
    this.size = 0;
    this.squares = 0;
  }

  /**
   * Adds the tokens of sentence `s` of a contribution of the log loss.
   *
   * @param first index of its first token in the corpus
   * @param seesPrevious whether trees see the previous label; if so, each token with one has a slot
   */
  add(
    contribution: Contribution,
    s: number,
    first: number,
    { labels, seesPrevious }: { readonly labels: number; readonly seesPrevious: boolean },
  ): void {
    const { residual, edgeResidual, edgeSlots, width, matrixSize, minibatch } = contribution;
    const start = minibatch.sentenceStarts[s]!;
    const end = minibatch.sentenceStarts[s + 1]!;
    const weight = minibatch.weights?.[s] ?? 1;
    if (weight === 0) return;
    for (let t = start; t < end; t += 1) {
      const token = first + t - start;
      if (!seesPrevious || t === start) {
        this.#addRow(residual, t * width, labels, { weight, token, previous: -1 });
        continue;
      }
      for (let y = 0; y < labels; y += 1) {
        const row = edgeSlots[t]! * matrixSize + y * width;
        this.#addRow(edgeResidual, row, labels, { weight, token, previous: y });
      }
    }
  }

  #addRow(
    residuals: Reals,
    row: number,
    labels: number,
    { weight, token, previous }: { weight: number; token: number; previous: number },
  ): void {
    this.#reserve(1, labels);
    const before = this.starts[this.size]!;
    let next = before;
    for (let y = 0; y < labels; y += 1) {
      const gradient = residuals[row + y]!;
      const size = Math.abs(gradient) / weight;
      this.squares += gradient * gradient;
      if (size <= this.#discard) continue;
      this.labels[next] = y;
      this.gradients[next] = gradient;
      this.curvatures[next] = weight * size * Math.max(0, 1 - size);
      next += 1;
    }
    if (next === before) return;
    this.tokens[this.size] = token;
    this.previous[this.size] = previous;
    this.size += 1;
    this.starts[this.size] = next;
  }

  /** Selects the samples of a single label. */
  ofLabel(label: number, into: ResidualSamples): ResidualSamples {
    into.clear();
    for (let i = 0; i < this.size; i += 1) {
      for (let k = this.starts[i]!; k < this.starts[i + 1]!; k += 1) {
        if (this.labels[k] !== label) continue;
        into.#reserve(1, 1);
        into.tokens[into.size] = this.tokens[i]!;
        into.previous[into.size] = this.previous[i]!;
        into.labels[into.size] = label;
        into.gradients[into.size] = this.gradients[k]!;
        into.curvatures[into.size] = this.curvatures[k]!;
        into.size += 1;
        into.starts[into.size] = into.size;
      }
    }
    return into;
  }

  #reserve(tokens: number, labels: number): void {
    const entries = this.starts[this.size]! + tokens * labels;
    if (this.size + tokens > this.tokens.length) {
      const size = 2 * (this.size + tokens);
      this.tokens = grown(this.tokens, new Uint32Array(size));
      this.previous = grown(this.previous, new Int32Array(size));
      this.starts = grown(this.starts, new Uint32Array(size + 1));
    }
    if (entries > this.labels.length) {
      this.labels = grown(this.labels, new Uint16Array(2 * entries));
      this.gradients = grown(this.gradients, new Float64Array(2 * entries));
      this.curvatures = grown(this.curvatures, new Float64Array(2 * entries));
    }
  }
}
