import type { Reals } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Minibatch } from '../../../engine/core/minibatch/minibatch.js';
import { scoreBatch } from '../../../engine/inference/score-batch.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import { Lattice } from '../../../engine/kernels/lattice.js';
import type { RealTable } from '../../../engine/kernels/memory/real-table.js';
import type { ParameterStore } from '../../../engine/kernels/store/parameter-store.js';
import { logLoss } from '../../../engine/losses/log-loss.js';
import { isPartial } from '../../../engine/losses/partial/allowed.js';
import { scaleResiduals } from '../../../engine/losses/residuals/residuals.js';
import { type SmoothObjective, VectorSpace } from '../../../engine/trainers/space/vector-space.js';

/** A range of numbers in a table. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * The log loss of a logarithmic opinion pool of K linear chains, as a function of their weights w:
 *
 *     p(y | x) = prod_k p_k(y | x)^w_k / Z(x),    f(w) = -sum over the sentences of log p(y* | x)
 *     df / dw_k = sum over the sentences of E_p[score_k(y)] - score_k(y*)
 *
 * The pool's potentials are the weighted sums of its experts' potentials, so its expectations are those of one chain. f
 * is convex. Gupta, Conditional Random Fields, section 2.6, equations (54) and (56) to (58); after Smith, Cohn and
 * Osborne (2005).
 *
 * Sentences count with their weights, partially labelled sentences with all allowed label sequences.
 */
export class PoolObjective implements SmoothObjective {
  readonly space: VectorSpace;
  evaluations = 0;
  /** Number of labelled sentences, and of their tokens. */
  readonly sentences: number;
  readonly tokens: number;
  /** Whether some sentences are partially labelled. */
  readonly hasPartial: boolean;
  readonly #kernel: Kernel;
  readonly #experts: readonly { readonly store: ParameterStore; readonly lattice: Lattice }[];
  readonly #corpus: readonly Minibatch[];
  readonly #lattice: Lattice;
  readonly #weights: Float64Array;

  /**
   * @param experts the experts' parameters, with the same labels and rows
   * @param corpus sentences with the features of all experts
   * @param weights initial weights. Default 1/K each
   */
  constructor(
    kernel: Kernel,
    experts: readonly ParameterStore[],
    corpus: readonly Minibatch[],
    weights: readonly number[] = experts.map(() => 1 / experts.length),
  ) {
    this.space = new VectorSpace(experts.length);
    this.#kernel = kernel;
    this.#experts = experts.map(store => {
      return { store, lattice: new Lattice(store.memory, store.precision, false) };
    });
    this.#corpus = corpus;
    this.#lattice = new Lattice(undefined, kernel.precision);
    this.#weights = Float64Array.from(weights);
    let sentences = 0;
    let tokens = 0;
    for (const { labelled, sentenceStarts } of corpus) {
      labelled.forEach((known, s) => {
        sentences += known;
        tokens += known * (sentenceStarts[s + 1]! - sentenceStarts[s]!);
      });
    }
    this.hasPartial = corpus.some(batch => batch.labelled.some((_, s) => isPartial(batch, s)));
    this.sentences = sentences;
    this.tokens = tokens;
  }

  owns(vector: Float64Array): boolean {
    return this.space.has(vector);
  }

  weights(): Float64Array {
    return this.#weights.slice();
  }

  place(weights: Float64Array): void {
    this.#weights.set(weights);
  }

  /** Does nothing: the last evaluated vector is already in place. */
  settle(): void {}

  /**
   * Returns f(weights), and writes its gradient to `gradient`. Cost: scoring the corpus K times, and one
   * forward-backward recursion over it.
   *
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  evaluate(weights: Float64Array, gradient: Float64Array): number {
    this.evaluations += 1;
    this.place(weights);
    gradient.fill(0);
    let sum = 0;
    for (const batch of this.#corpus) sum += this.#addBatch(batch, gradient);
    if (Number.isFinite(sum)) return sum;
    throw new TagstreamError('numeric', `the loss of the pool is ${sum}`, {
      fix: 'check that the weights of its experts are finite: inspect shows them',
    });
  }

  #addBatch(batch: Minibatch, gradient: Float64Array): number {
    const kernel = this.#kernel;
    for (const { store, lattice } of this.#experts) scoreBatch(kernel, store, lattice, batch);
    this.#mix(batch);
    const { labelled, weights, gold } = batch;
    let sum = 0;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      const weight = weights?.[s] ?? 1;
      sum += weight * logLoss.apply(kernel, this.#lattice, s, gold, none);
      if (weight !== 1) scaleResiduals(this.#lattice, s, weight);
      for (let k = 0; k < gradient.length; k += 1) gradient[k]! += this.#slope(batch, s, k);
    }
    return sum;
  }

  /** Fills the pool's lattice with the weighted sums of the experts' potentials. */
  #mix(batch: Minibatch): void {
    const pool = this.#lattice;
    const { labels, width, matrixSize } = this.#experts[0]!.store;
    pool.open({ labels, width, matrixSize, support: undefined }, batch);
    const fill = (tableOf: (lattice: Lattice) => RealTable, length: number) => {
      const into = tableOf(pool).view;
      into.fill(0, 0, length);
      this.#experts.forEach(({ lattice }, k) => {
        addScaled(into, this.#weights[k]!, tableOf(lattice).view, length);
      });
    };
    fill(({ emissionScores }) => emissionScores, batch.tokens * width);
    fill(({ transitionScores }) => transitionScores, matrixSize);
    fill(({ edgeScores }) => edgeScores, pool.slots * matrixSize);
  }

  /**
   * Returns E_p[score_k(y)] - score_k(y*) of a sentence: the sum of its residuals times the potentials of
   * expert k.
   */
  #slope({ sentenceStarts }: Minibatch, s: number, k: number): number {
    const { nodes, transitions, edges, labels, width, matrixSize, edgeSlots } = this.#lattice;
    const { emissionScores, transitionScores, edgeScores } = this.#experts[k]!.lattice;
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    const tokens = { from: first * width, to: end * width };
    let sum = product(nodes.view, emissionScores.view, tokens);
    const plain = transitionScores.view;
    const matrixFrom = (from: number): Extent => ({ from, to: from + labels * width });
    const sums = matrixFrom(s * matrixSize);
    sum += product(transitions.view, plain, sums, sums.from);
    for (let t = first + 1; t < end; t += 1) {
      const slot = edgeSlots[t]!;
      if (slot < 0) continue;
      // The sums per sentence already include the plain part of these transitions.
      const pairs = matrixFrom(slot * matrixSize);
      sum += product(edges.view, edgeScores.view, pairs);
      sum -= product(edges.view, plain, pairs, pairs.from);
    }
    return sum;
  }
}

const none = new Int32Array(0);

/** Computes into += factor * x, for the first `length` numbers. */
function addScaled(into: Reals, factor: number, x: Reals, length: number): void {
  for (let i = 0; i < length; i += 1) into[i]! += factor * x[i]!;
}

/** Returns the sum of x y over an extent of x; y begins at the start of the extent. */
function product(x: Reals, y: Reals, { from, to }: Extent, start = 0): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += x[i]! * y[i - start]!;
  return sum;
}
