import { logSum } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';

/**
 * Forward-backward in log space over one sentence; see `Kernel.forwardBackwardLog`.
 *
 *     logAlpha_t(y) = e_t(y) + log sum_y' exp(logAlpha_{t-1}(y') + a_t(y', y))
 *     logBeta_{t-1}(y') = log sum_y exp(a_t(y', y) + e_t(y) + logBeta_t(y))
 *     p(y_t = y) = exp(logAlpha_t(y) + logBeta_t(y) - log Z)
 *
 * Vectors are float64 even in a float32 lattice. Cost O(T L^2) exponentials.
 */
export function forwardBackwardLog(lattice: Lattice, s: number): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { labels, width } = lattice;
  lattice.openLogs();
  forward(lattice, first, end);
  const alpha = lattice.logAlpha.view;
  const logZ = logSum(alpha, (end - 1) * width, labels);
  backward(lattice, first, end);
  const beta = lattice.logBeta.view;
  const nodes = lattice.nodes.view;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    for (let y = 0; y < labels; y += 1) {
      nodes[row + y] = Math.exp(alpha[row + y]! + beta[row + y]! - logZ);
    }
    for (let y = labels; y < width; y += 1) nodes[row + y] = 0;
  }
  edgeMarginals(lattice, s, first, end, logZ);
  return logZ;
}

function forward(lattice: Lattice, first: number, end: number): void {
  const { labels, width, matrixSize } = lattice;
  const alpha = lattice.logAlpha.view;
  const scores = lattice.emissionScores.view;
  for (let y = 0; y < labels; y += 1) alpha[first * width + y] = scores[first * width + y]!;
  for (let t = first + 1; t < end; t += 1) {
    const row = t * width;
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let y = 0; y < labels; y += 1) {
      let maximum = Number.NEGATIVE_INFINITY;
      for (let from = 0; from < labels; from += 1) {
        const value = alpha[row - width + from]! + matrix[base + from * width + y]!;
        if (value > maximum) maximum = value;
      }
      let sum = 0;
      if (maximum > Number.NEGATIVE_INFINITY) {
        for (let from = 0; from < labels; from += 1) {
          sum += Math.exp(alpha[row - width + from]! + matrix[base + from * width + y]! - maximum);
        }
      }
      alpha[row + y] = scores[row + y]! + maximum + Math.log(sum);
    }
  }
}

function backward(lattice: Lattice, first: number, end: number): void {
  const { labels, width, matrixSize } = lattice;
  const beta = lattice.logBeta.view;
  const scores = lattice.emissionScores.view;
  for (let y = 0; y < labels; y += 1) beta[(end - 1) * width + y] = 0;
  for (let t = end - 1; t > first; t -= 1) {
    const row = t * width;
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let from = 0; from < labels; from += 1) {
      const transitions = base + from * width;
      let maximum = Number.NEGATIVE_INFINITY;
      for (let y = 0; y < labels; y += 1) {
        const value = matrix[transitions + y]! + scores[row + y]! + beta[row + y]!;
        if (value > maximum) maximum = value;
      }
      let sum = 0;
      if (maximum > Number.NEGATIVE_INFINITY) {
        for (let y = 0; y < labels; y += 1) {
          sum += Math.exp(matrix[transitions + y]! + scores[row + y]! + beta[row + y]! - maximum);
        }
      }
      beta[row - width + from] = maximum + Math.log(sum);
    }
  }
}

function edgeMarginals(
  lattice: Lattice,
  s: number,
  first: number,
  end: number,
  logZ: number,
): void {
  const { labels, width, matrixSize } = lattice;
  const alpha = lattice.logAlpha.view;
  const beta = lattice.logBeta.view;
  const scores = lattice.emissionScores.view;
  const edges = lattice.edges.view;
  const sums = lattice.transitions.view;
  const sum = lattice.pairSumsAt(s);
  sums.fill(0, sum, sum + matrixSize);
  for (let t = first + 1; t < end; t += 1) {
    const row = t * width;
    const slot = lattice.edgeSlots[t]!;
    const matrix = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * matrixSize;
    for (let from = 0; from < labels; from += 1) {
      const mass = alpha[row - width + from]! - logZ;
      for (let y = 0; y < labels; y += 1) {
        const at = from * width + y;
        const marginal = Math.exp(mass + matrix[base + at]! + scores[row + y]! + beta[row + y]!);
        sums[sum + at]! += marginal;
        if (slot >= 0) edges[base + at] = marginal;
      }
    }
  }
}
