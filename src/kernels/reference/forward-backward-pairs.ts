import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';

/** Below these the recursion gives up: see `forwardBackwardScaled`. */
const leastValue = 2 ** -900;
const leastScale = 2 ** -100;
/** Below this share of what it started from, a sum has cancelled too much of it. */
const leastShare = 0.0625;

/**
 * Scaled forward-backward over a sentence whose pairs are listed token by token; see `Kernel.forwardBackwardScaled`.
 * With b_t = exp(0) less what was subtracted, and sums over the pairs listed at token t,
 *
 *     alpha_t(y) = exp(e_t(y)) [b_t sum_y' alpha_{t-1}(y') + sum_y' alpha_{t-1}(y') (exp(a_t(y', y)) - b_t)] / c_t
 *     beta_{t-1}(y') = b_t sum_y g_t(y) + sum_y (exp(a_t(y', y)) - b_t) g_t(y),   g_t(y) = exp(e_t(y)) beta_t(y) / c_t
 *     p(y_{t-1} = y', y_t = y) = alpha_{t-1}(y') exp(a_t(y', y)) g_t(y)   of listed pairs
 *
 * Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9. A label whose two sums cancel is summed over all labels. The edge
 * marginals of a token with a slot go to the cells of the listed pairs in the slot's matrix, the other cells keep what
 * they hold; sums over the sentence are those of plain pairs. Cost O(T L + listed pairs).
 */
export function forwardBackwardPairs(lattice: Lattice, s: number): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const logZ = forward(lattice, first, end);
  if (Number.isNaN(logZ) || !backward(lattice, s, first, end)) return Number.NaN;
  const { width } = lattice;
  const alpha = lattice.alpha.view;
  const beta = lattice.beta.view;
  const nodes = lattice.nodes.view;
  for (let i = first * width; i < end * width; i += 1) nodes[i] = alpha[i]! * beta[i]!;
  return logZ;
}

function forward(lattice: Lattice, first: number, end: number): number {
  const { labels, width, pairLists } = lattice;
  const alpha = lattice.alpha.view;
  const emissions = lattice.expEmissions.view;
  const maxima = lattice.emissionMaxima.view;
  const scales = lattice.scales.view;
  const base = pairLists.bases.view;
  let logZ = 0;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    if (t === first) alpha.fill(1, row, row + width);
    else {
      alpha.fill(base[t]!, row, row + width);
      addPairs(lattice, t, alpha, row - width, row, false);
      logZ += pairLists.maxima.view[t]!;
    }
    let scale = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let y = 0; y < labels; y += 1) {
      alpha[row + y]! *= emissions[row + y]!;
      scale += alpha[row + y]!;
      if (alpha[row + y]! < least) least = alpha[row + y]!;
    }
    if (!(scale >= leastScale && scale < Number.POSITIVE_INFINITY && least >= leastValue)) {
      return Number.NaN;
    }
    for (let y = 0; y < labels; y += 1) alpha[row + y]! /= scale;
    alpha.fill(0, row + labels, row + width);
    scales[t] = scale;
    logZ += Math.log(scale) + maxima[t]!;
  }
  return logZ;
}

/** Backward vectors and edge marginals; false where a value underflows. */
function backward(lattice: Lattice, s: number, first: number, end: number): boolean {
  const { labels, width, matrixSize, pairLists, edgeSlots } = lattice;
  const { starts, pairs, plain } = pairLists;
  const alpha = lattice.alpha.view;
  const beta = lattice.beta.view;
  const emissions = lattice.expEmissions.view;
  const scales = lattice.scales.view;
  const exps = pairLists.exps.view;
  const edges = lattice.edges.view;
  const sums = lattice.transitions.view;
  const sum = lattice.pairSumsAt(s);
  sums.fill(0, sum, sum + matrixSize);
  beta.fill(1, (end - 1) * width, (end - 1) * width + labels);
  beta.fill(0, (end - 1) * width + labels, end * width);
  const outgoing = lattice.nodes.view;
  for (let t = end - 1; t > first; t -= 1) {
    const row = t * width;
    const before = row - width;
    let total = 0;
    for (let y = 0; y < width; y += 1) {
      outgoing[row + y] = (emissions[row + y]! * beta[row + y]!) / scales[t]!;
      total += outgoing[row + y]!;
    }
    beta.fill(pairLists.bases.view[t]! * total, before, row);
    addPairs(lattice, t, outgoing, row, before, true);
    for (let y = 0; y < labels; y += 1) {
      const value = beta[before + y]!;
      if (!(value >= leastValue && value < Number.POSITIVE_INFINITY)) return false;
    }
    beta.fill(0, before + labels, row);
    const slot = edgeSlots[t]!;
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const from = pairs[k]! & 65535;
      const to = pairs[k]! >>> 16;
      const marginal = alpha[before + from]! * exps[k]! * outgoing[row + to]!;
      if (slot >= 0) edges[slot * matrixSize + from * width + to] = marginal;
      if (k - starts[t]! < plain) sums[sum + from * width + to]! += marginal;
    }
  }
  return true;
}

/**
 * Adds what the pairs listed at token t say to the sums at `out`: those by label over the vector at `at` of the labels
 * before (forward), or the other way round.
 */
function addPairs(
  lattice: Lattice,
  t: number,
  vector: Reals,
  at: number,
  out: number,
  isBackward: boolean,
): void {
  const { labels, pairLists } = lattice;
  const { starts, pairs } = pairLists;
  const exps = pairLists.exps.view;
  const base = pairLists.bases.view[t]!;
  const target = isBackward ? lattice.beta.view : lattice.alpha.view;
  const start = target[out]!;
  const ends = (k: number) => {
    const labelsOf = [pairs[k]! & 65535, pairs[k]! >>> 16] as const;
    return isBackward ? ([labelsOf[1], labelsOf[0]] as const) : labelsOf;
  };
  for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
    const [other, y] = ends(k);
    target[out + y]! += vector[at + other]! * (exps[k]! - base);
  }
  for (let y = 0; y < labels; y += 1) {
    if (target[out + y]! >= leastShare * start) continue;
    const free = Array.from({ length: labels }, (_, other) => base * vector[at + other]!);
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const [other, label] = ends(k);
      if (label === y) free[other] = exps[k]! * vector[at + other]!;
    }
    target[out + y] = free.reduce((sum, value) => sum + value, 0);
  }
}
