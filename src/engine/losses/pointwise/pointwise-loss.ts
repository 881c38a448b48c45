import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { scaledForwardBackward } from '../../inference/forward-backward.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { isPartial } from '../partial/allowed.js';
import { LossScratch } from '../residuals/loss-scratch.js';
import { scaleResiduals } from '../residuals/residuals.js';

/** The loss of a token with log loss l = -log p(y*_t | x), and its derivative d loss / d l. */
export interface PointwiseScale {
  loss(l: number): number;
  weight(l: number): number;
}

/**
 * Returns a loss that is a sum over tokens of a function of their log losses l_t = -log p(y*_t | x):
 *
 *     sum_t g(l_t),   residuals sum_t g'(l_t) (E[F] - E[F | y_t = y*_t])
 *
 * with one additional forward-backward pass. For a token with several allowed labels, p is their
 * sum; an unconstrained token does not count. Cost O(T L^2).
 */
export function pointwiseLoss(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  gold: Int32Array,
  scale: PointwiseScale,
): number {
  lattice.readsBackward = true;
  const inLogs = Number.isNaN(scaledForwardBackward(kernel, lattice, s));
  lattice.readsBackward = false;
  const logZ = inLogs ? kernel.forwardBackwardLog(lattice, s) : undefined;
  const known = new KnownLabels(lattice, s, gold, logZ);
  const { conditional } = LossScratch.of(lattice);
  conditional.open(s);
  const { sources } = conditional;
  const { labels, width } = lattice;
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  let total = 0;
  let weights = 0;
  for (let t = first; t < end; t += 1) {
    if (known.isFree(t)) continue;
    const at = (t - first) * width;
    const l = known.logLoss(t, sources, at);
    const weight = scale.weight(l);
    for (let i = at; i < at + labels; i += 1) sources[i]! *= weight;
    total += scale.loss(l);
    weights += weight;
  }
  scaleResiduals(lattice, s, weights);
  conditional.subtract(s, inLogs);
  return total;
}

/**
 * The probabilities of a sentence's known labels, token by token, from the results of forward-backward in
 * the lattice: p(y_t in A_t | x), where A_t is the gold label or the set of allowed labels.
 */
class KnownLabels {
  readonly #lattice: Lattice;
  readonly #batch: Minibatch;
  readonly #gold: Int32Array;
  readonly #partial: boolean;
  readonly #logZ: number | undefined;
  /** Forward and backward values, or their logarithms; valid until the lattice grows. */
  readonly #alphas: Reals;
  readonly #betas: Reals;

  /**
   * @param logZ log Z of the sentence after `forwardBackwardLog`, undefined after the scaled recursion
   */
  constructor(lattice: Lattice, s: number, gold: Int32Array, logZ: number | undefined) {
    this.#lattice = lattice;
    this.#batch = lattice.batch!;
    this.#gold = gold;
    this.#partial = isPartial(this.#batch, s);
    this.#logZ = logZ;
    this.#alphas = (logZ === undefined ? lattice.alpha : lattice.logAlpha).view;
    this.#betas = (logZ === undefined ? lattice.beta : lattice.logBeta).view;
  }

  /** Returns whether token t is unconstrained. */
  isFree(t: number): boolean {
    if (!this.#partial) return false;
    const starts = this.#batch.allowedStarts!;
    return starts[t] === starts[t + 1];
  }

  /**
   * Returns -log p(y_t in A_t | x), at least 0; writes p(y_t = y | x, y_t in A_t) to `probabilities`
   * from `at` on, which must be zero. Cost O(L).
   */
  logLoss(t: number, probabilities: Float64Array, at: number): number {
    const normalizer = this.#logZ ?? this.#logMass(t);
    if (!this.#partial) {
      const y = this.#gold[t]!;
      probabilities[at + y] = 1;
      return Math.max(0, normalizer - this.#logPaths(t, y));
    }
    const labels = this.#batch.allowedLabels!;
    const from = this.#batch.allowedStarts![t]!;
    const to = this.#batch.allowedStarts![t + 1]!;
    let most = Number.NEGATIVE_INFINITY;
    for (let k = from; k < to; k += 1) most = Math.max(most, this.#logPaths(t, labels[k]!));
    let sum = 0;
    for (let k = from; k < to; k += 1) {
      const share = Math.exp(this.#logPaths(t, labels[k]!) - most);
      probabilities[at + labels[k]!] = share;
      sum += share;
    }
    for (let k = from; k < to; k += 1) probabilities[at + labels[k]!]! /= sum;
    return Math.max(0, normalizer - most - Math.log(sum));
  }

  /**
   * Returns the log of the sum over all paths through label y at token t, up to a constant per
   * token.
   */
  #logPaths(t: number, y: number): number {
    const at = t * this.#lattice.width + y;
    if (this.#logZ !== undefined) return this.#alphas[at]! + this.#betas[at]!;
    // Logarithms are taken separately, because the product of two small numbers may underflow.
    return Math.log(this.#alphas[at]!) + Math.log(this.#betas[at]!);
  }

  #logMass(t: number): number {
    const { labels, width } = this.#lattice;
    const alphas = this.#alphas;
    const betas = this.#betas;
    let mass = 0;
    for (let i = t * width; i < t * width + labels; i += 1) mass += alphas[i]! * betas[i]!;
    return Math.log(mass);
  }
}
