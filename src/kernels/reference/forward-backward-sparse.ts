import type { Reals } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';
import type { SparseColumn, SparseTransitions } from './sparse-transitions.js';

/** Below these the recursion gives up: see `forwardBackwardScaled`. */
const leastValue = 2 ** -900;
const leastScale = 2 ** -100;
/** Below this share of what it started from, a sum has cancelled too much of it. */
const leastShare = 0.0625;

/**
 * Scaled forward-backward whose cost follows the number of active transitions; see
 * `Kernel.forwardBackwardScaled`. With exp(a(y', y)) = 1 + M(y', y), M being 0 for inactive transitions,
 *
 *     alpha_t(y) = exp(e_t(y)) [sum_y' alpha_{t-1}(y') + sum_y' alpha_{t-1}(y') M(y', y)] / c_t
 *     beta_{t-1}(y') = sum_y g_t(y) + sum_y M(y', y) g_t(y),   g_t(y) = exp(e_t(y)) beta_t(y) / c_t
 *
 * Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 9. Where M is near -1 for a label that has nearly all
 * of the mass, the two sums cancel: such a column is summed densely. Columns most of whose transitions are
 * forbidden are summed over the others. The edge marginals cost O(T L^2), and are left out where the
 * lattice does not ask for them.
 */
export function forwardBackwardSparse(
  lattice: Lattice,
  s: number,
  sparse: SparseTransitions,
): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const logZ = forward(lattice, first, end, sparse);
  if (Number.isNaN(logZ) || !backward(lattice, first, end, sparse)) return Number.NaN;
  if (lattice.readsPairSums) sumPairs(lattice, s, first, end);
  const { width } = lattice;
  const alpha = lattice.alpha.view;
  const beta = lattice.beta.view;
  const nodes = lattice.nodes.view;
  for (let i = first * width; i < end * width; i += 1) nodes[i] = alpha[i]! * beta[i]!;
  return logZ;
}

function forward(lattice: Lattice, first: number, end: number, sparse: SparseTransitions): number {
  const { labels, width, closedEnds, transitionMaximum } = lattice;
  const alpha = lattice.alpha.view;
  const emissions = lattice.expEmissions.view;
  const exps = lattice.expTransitions.view;
  const maxima = lattice.emissionMaxima.view;
  const scales = lattice.scales.view;
  let logZ = 0;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    let scale = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let y = 0; y < width; y += 1) {
      // Forward vectors sum to 1.
      const incoming =
        t === first || y >= labels
          ? 1
          : sumOf(sparse.into[y]!, sparse.base, alpha, row - width, exps, lattice);
      const value = incoming * emissions[row + y]!;
      alpha[row + y] = value;
      if (y >= labels) continue;
      scale += value;
      if (value < least) least = value;
    }
    const closed = closedEnds && (t === first || t === end - 1);
    const isSafe = closed || least >= leastValue;
    if (!(scale >= leastScale && scale < Number.POSITIVE_INFINITY && isSafe)) return Number.NaN;
    for (let y = 0; y < labels; y += 1) alpha[row + y]! /= scale;
    scales[t] = scale;
    logZ += Math.log(scale) + maxima[t]! + (t === first ? 0 : transitionMaximum);
  }
  return logZ;
}

/** Backward vectors; `nodes` holds g_t afterwards. False where a value underflows. */
function backward(
  lattice: Lattice,
  first: number,
  end: number,
  sparse: SparseTransitions,
): boolean {
  const { labels, width } = lattice;
  const beta = lattice.beta.view;
  const emissions = lattice.expEmissions.view;
  const exps = lattice.expTransitions.view;
  const scales = lattice.scales.view;
  const outgoing = lattice.nodes.view;
  for (let y = 0; y < width; y += 1) beta[(end - 1) * width + y] = y < labels ? 1 : 0;
  for (let t = end - 1; t > first; t -= 1) {
    const row = t * width;
    let total = 0;
    for (let y = 0; y < width; y += 1) {
      outgoing[row + y] = (emissions[row + y]! * beta[row + y]!) / scales[t]!;
      total += outgoing[row + y]!;
    }
    for (let y = 0; y < labels; y += 1) {
      const column = sparse.outOf[y]!;
      const value = sumOf(column, sparse.base * total, outgoing, row, exps, lattice);
      if (!(value >= leastValue && value < Number.POSITIVE_INFINITY)) return false;
      beta[row - width + y] = value;
    }
    for (let y = labels; y < width; y += 1) beta[row - width + y] = 0;
  }
  return true;
}

/**
 * `start` plus the entries of a column times their numbers in the row at `row`.
 */
function sumOf(
  { others, weights, isExplicit, isChecked, first, step }: SparseColumn,
  start: number,
  vector: Reals,
  row: number,
  exps: Reals,
  { labels }: Lattice,
): number {
  let sum = isExplicit ? 0 : start;
  for (let k = 0; k < others.length; k += 1) sum += vector[row + others[k]!]! * weights[k]!;
  if (isExplicit || !isChecked || sum >= leastShare * start) return sum;
  sum = 0;
  for (let other = 0; other < labels; other += 1) {
    sum += vector[row + other]! * exps[first + other * step]!;
  }
  return sum;
}

/** The sum over tokens of alpha_{t-1}(y') exp(a(y', y)) g_t(y). */
function sumPairs(lattice: Lattice, s: number, first: number, end: number): void {
  const { labels, width, matrixSize } = lattice;
  const alpha = lattice.alpha.view;
  const exps = lattice.expTransitions.view;
  const outgoing = lattice.nodes.view;
  const sums = lattice.transitions.view;
  const start = lattice.pairSumsAt(s);
  sums.fill(0, start, start + matrixSize);
  for (let t = first + 1; t < end; t += 1) {
    for (let from = 0; from < labels; from += 1) {
      const mass = alpha[(t - 1) * width + from]!;
      const at = start + from * width;
      for (let y = 0; y < labels; y += 1) sums[at + y]! += mass * outgoing[t * width + y]!;
    }
  }
  for (let i = 0; i < matrixSize; i += 1) sums[start + i]! *= exps[i]!;
}
