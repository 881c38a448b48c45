import type { Reals } from '../core/arrays.js';
import type { Kernel } from '../kernels/kernel.js';
import type { Lattice } from '../kernels/lattice.js';

/**
 * Number space: scaled if that is safe (`auto`; `masked` if labels are forbidden at single tokens,
 * which exceeds the range of float32), or always log space.
 */
export type NumberSpace = 'auto' | 'masked' | 'log';

/**
 * Computes node and edge marginals of one sentence of a scored lattice; returns log Z.
 *
 * Runs the scaled recursion, or the log-space one if scaling would underflow. On return, `lattice.nodes`
 * contains p(y_t = y | x), `lattice.edges` p(y_{t-1} = y', y_t = y | x) for tokens with a slot, and
 * `lattice.transitions` its sum over the sentence. Cost O(T L^2).
 */
export function forwardBackward(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  space: NumberSpace = 'auto',
): number {
  const logZ = whereScaled(kernel, lattice, s, space);
  return Number.isNaN(logZ) ? kernel.forwardBackwardLog(lattice, s) : logZ;
}

/** Runs only the scaled recursion; returns NaN if log space is needed. */
export function whereScaled(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  space: NumberSpace,
): number {
  if (space === 'log') return Number.NaN;
  if (space === 'auto') {
    if (lattice.closedEnds && startUnderflows(lattice, s)) return Number.NaN;
    return scaledForwardBackward(kernel, lattice, s);
  }
  if (kernel.precision === 'float32' || exponentialsVanish(lattice, s)) return Number.NaN;
  lattice.closedTokens = true;
  const logZ = scaledForwardBackward(kernel, lattice, s);
  lattice.closedTokens = false;
  return logZ;
}

/**
 * Maximum gap between a label's score at the first token and the best one, which keeps its
 * exponential above 2^-90.
 */
const mostBehind = 60;

/**
 * Whether the exponential of an allowed label at the first token might vanish: the kernel does not
 * check this if zeros are legitimate.
 */
function startUnderflows(lattice: Lattice, s: number): boolean {
  const row = lattice.batch!.sentenceStarts[s]! * lattice.width;
  return !(spreadOf(lattice.emissionScores.view, row, lattice.labels) <= mostBehind);
}

/**
 * Maximum gap between a score and the best one of its row or matrix, which keeps its exponential
 * above 2^-300.
 */
const mostBehindWhereClosed = 200;

/** Whether any exponential of a sentence might vanish, except those of forbidden labels. */
function exponentialsVanish(lattice: Lattice, s: number): boolean {
  const { batch, labels, width, matrixSize, edgeSlots } = lattice;
  const emissions = lattice.emissionScores.view;
  const edges = lattice.edgeScores.view;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  let isPlain = false;
  for (let t = first; t < end; t += 1) {
    if (!(spreadOf(emissions, t * width, labels) <= mostBehindWhereClosed)) return true;
    if (t === first) continue;
    const slot = edgeSlots[t]!;
    if (slot < 0) isPlain = true;
    else if (!(spreadOfMatrix(lattice, edges, slot * matrixSize) <= mostBehindWhereClosed)) {
      return true;
    }
  }
  if (!isPlain) return false;
  return !(spreadOfMatrix(lattice, lattice.transitionScores.view, 0) <= mostBehindWhereClosed);
}

/**
 * Returns the difference between the largest and the smallest of some scores, ignoring minus
 * infinity.
 */
function spreadOf(scores: Reals, start: number, count: number): number {
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (let i = start; i < start + count; i += 1) {
    const score = scores[i]!;
    if (score > most) most = score;
    if (score < least && score !== Number.NEGATIVE_INFINITY) least = score;
  }
  return most - least;
}

function spreadOfMatrix({ labels, width }: Lattice, scores: Reals, start: number): number {
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (let from = 0; from < labels; from += 1) {
    const row = start + from * width;
    for (let i = row; i < row + labels; i += 1) {
      const score = scores[i]!;
      if (score > most) most = score;
      if (score < least && score !== Number.NEGATIVE_INFINITY) least = score;
    }
  }
  return most - least;
}

/**
 * Runs scaled forward-backward on one sentence of a scored lattice, computing missing exponentials;
 * returns log Z, or NaN if scaling would underflow and log space is needed. Cost O(T L^2).
 */
export function scaledForwardBackward(kernel: Kernel, lattice: Lattice, s: number): number {
  exponentials(kernel, lattice);
  return kernel.forwardBackwardScaled(lattice, s);
}

/** Computes missing exponentials of a scored batch, which scaled recursions need. */
export function exponentials(kernel: Kernel, lattice: Lattice): void {
  if (lattice.exponentiated === lattice.generation) return;
  kernel.exponentiate(lattice);
  lattice.exponentiated = lattice.generation;
}
