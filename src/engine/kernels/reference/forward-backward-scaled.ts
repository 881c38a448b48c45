import type { Lattice } from '../lattice.js';

/** Forward or backward value below which paths that may matter are lost, or soon will be. */
const leastValue = 2 ** -900;
/** Limit for nonzero values if zeros are legitimate. */
const leastOfClosed = 2 ** -400;
/** Scale below which nearly all mass is lost. */
const leastScale = 2 ** -100;

/**
 * Scaled forward-backward over one sentence; see `Kernel.forwardBackwardScaled`.
 *
 *     alpha_0(y) = exp(e_0(y)) / c_0
 *     alpha_t(y) = exp(e_t(y)) sum_y' alpha_{t-1}(y') exp(a_t(y', y)) / c_t,  sum_y alpha_t(y) = 1
 *     beta_{T-1} = 1
 *     beta_{t-1}(y') = sum_y exp(a_t(y', y)) exp(e_t(y)) beta_t(y) / c_t
 *     p(y_t = y) = alpha_t(y) beta_t(y)
 *     p(y_{t-1} = y', y_t = y) = alpha_{t-1}(y') exp(a_t(y', y)) exp(e_t(y)) beta_t(y) / c_t
 *     log Z = sum_t log c_t + the maxima subtracted before exp
 *
 * It gives up (NaN) when a scale falls below 2^-100, or a single value below 2^-900: scales alone do not
 * reveal a path that underflows now but would win ten tokens later. If labels are forbidden at some tokens
 * (`Lattice.closedTokens`), values must be 0 or at least 2^-400, so that a product with two exponentials
 * above 2^-300 is a normal number.
 */
export function forwardBackwardScaled(lattice: Lattice, s: number): number {
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
  const { labels, width, matrixSize, closedTokens } = lattice;
  const alpha = lattice.alpha.view;
  const emissions = lattice.expEmissions.view;
  const maxima = lattice.emissionMaxima.view;
  const scales = lattice.scales.view;
  const expTransitions = lattice.expTransitions.view;
  const expEdges = lattice.expEdges.view;
  const edgeMaxima = lattice.edgeMaxima.view;
  let logZ = 0;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    if (t === first) {
      for (let y = 0; y < width; y += 1) alpha[row + y] = emissions[row + y]!;
    } else {
      const slot = lattice.edgeSlots[t]!;
      const matrix = slot < 0 ? expTransitions : expEdges;
      const base = slot < 0 ? 0 : slot * matrixSize;
      logZ += slot < 0 ? lattice.transitionMaximum : edgeMaxima[slot]!;
      for (let y = 0; y < width; y += 1) alpha[row + y] = 0;
      for (let from = 0; from < labels; from += 1) {
        const mass = alpha[row - width + from]!;
        const exps = base + from * width;
        for (let y = 0; y < labels; y += 1) alpha[row + y]! += mass * matrix[exps + y]!;
      }
      for (let y = 0; y < labels; y += 1) alpha[row + y]! *= emissions[row + y]!;
    }
    let scale = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let y = 0; y < labels; y += 1) {
      const value = alpha[row + y]!;
      scale += value;
      if (value < least && !(value === 0 && closedTokens)) least = value;
    }
    const closed = lattice.closedEnds && (t === first || t === end - 1);
    const isSafe =
      (closed && !closedTokens) || least >= (closedTokens ? leastOfClosed : leastValue);
    if (!(scale >= leastScale && scale < Number.POSITIVE_INFINITY && isSafe)) {
      return Number.NaN;
    }
    const inverse = 1 / scale;
    for (let y = 0; y < labels; y += 1) alpha[row + y]! *= inverse;
    scales[t] = scale;
    logZ += Math.log(scale) + maxima[t]!;
  }
  return logZ;
}

/** Computes backward vectors and edge marginals in one sweep; returns false if a value underflows. */
function backward(lattice: Lattice, s: number, first: number, end: number): boolean {
  const { labels, width, matrixSize, closedTokens } = lattice;
  const limit = closedTokens ? leastOfClosed : leastValue;
  const alpha = lattice.alpha.view;
  const beta = lattice.beta.view;
  const emissions = lattice.expEmissions.view;
  const scales = lattice.scales.view;
  const expTransitions = lattice.expTransitions.view;
  const expEdges = lattice.expEdges.view;
  const edges = lattice.edges.view;
  const sums = lattice.transitions.view;
  const sum = lattice.pairSumsAt(s);
  sums.fill(0, sum, sum + matrixSize);
  const last = (end - 1) * width;
  for (let y = 0; y < width; y += 1) beta[last + y] = y < labels ? 1 : 0;
  // The sum of alpha_{t-1}(y') g_t(y) over plain tokens is multiplied by exp(a) once, at the end.
  for (let t = end - 1; t > first; t -= 1) {
    const row = t * width;
    const inverse = 1 / scales[t]!;
    // g_t(y) = exp(e_t(y)) beta_t(y) / c_t is stored in beta's next row until it is summed.
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? expTransitions : expEdges;
    const base = slot < 0 ? 0 : slot * matrixSize;
    const outgoing = lattice.nodes.view;
    for (let y = 0; y < labels; y += 1) {
      outgoing[row + y] = emissions[row + y]! * beta[row + y]! * inverse;
    }
    for (let from = 0; from < labels; from += 1) {
      const exps = base + from * width;
      let total = 0;
      for (let y = 0; y < labels; y += 1) total += matrix[exps + y]! * outgoing[row + y]!;
      const isSafe = total >= limit || (total === 0 && closedTokens);
      if (!(isSafe && total < Number.POSITIVE_INFINITY)) return false;
      beta[row - width + from] = total;
      const mass = alpha[row - width + from]!;
      if (slot < 0) {
        const to = sum + from * width;
        for (let y = 0; y < labels; y += 1) sums[to + y]! += mass * outgoing[row + y]!;
      } else {
        for (let y = 0; y < labels; y += 1) {
          edges[exps + y] = mass * matrix[exps + y]! * outgoing[row + y]!;
        }
      }
    }
    for (let y = labels; y < width; y += 1) beta[row - width + y] = 0;
  }
  for (let i = 0; i < matrixSize; i += 1) sums[sum + i]! *= expTransitions[i]!;
  for (let t = first + 1; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    if (slot < 0) continue;
    const base = slot * matrixSize;
    for (let i = 0; i < matrixSize; i += 1) sums[sum + i]! += edges[base + i]!;
  }
  return true;
}
