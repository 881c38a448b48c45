import { logSum } from '../../core/arrays.js';
import type { Lattice } from '../lattice.js';

/** Share of its starting value below which a sum has lost too much to cancellation. */
const leastShare = 0.0625;

/**
 * `forwardBackwardLog` over a sentence whose pairs are listed token by token: with m the maximum of the previous labels' x
 * and of the sums with listed a_t(y', y),
 *
 *     log sum_y' exp(x(y') + a_t(y', y)) = m + log [sum_y' exp(x(y') - m) + sum_listed (exp(a_t(y', y)) - 1) exp(x(y') - m)]
 *
 * or, if the two sums cancel, the sum over all labels. Sokolovska, Lavergne, Cappe and Yvon (2010), section 3.2. Computes
 * edge marginals of the listed pairs only. Cost O(T L + listed pairs) exponentials.
 */
export function forwardBackwardPairsLog(lattice: Lattice, s: number): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { labels, width } = lattice;
  lattice.openLogs();
  const alpha = lattice.logAlpha.view as Float64Array;
  const beta = lattice.logBeta.view as Float64Array;
  const scores = lattice.emissionScores.view;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    if (t === first) alpha.fill(0, row, row + labels);
    else sumsInLogs(lattice, t, alpha.subarray(row - width, row), alpha.subarray(row), false);
    for (let y = 0; y < labels; y += 1) alpha[row + y]! += scores[row + y]!;
  }
  const logZ = logSum(alpha, (end - 1) * width, labels);
  beta.fill(0, (end - 1) * width, (end - 1) * width + labels);
  const behind = new Float64Array(width);
  for (let t = end - 1; t > first; t -= 1) {
    const row = t * width;
    for (let y = 0; y < labels; y += 1) behind[y] = scores[row + y]! + beta[row + y]!;
    sumsInLogs(lattice, t, behind, beta.subarray(row - width), true);
  }
  const nodes = lattice.nodes.view;
  for (let t = first; t < end; t += 1) {
    const row = t * width;
    for (let y = 0; y < width; y += 1) {
      nodes[row + y] = y < labels ? Math.exp(alpha[row + y]! + beta[row + y]! - logZ) : 0;
    }
  }
  edgeMarginals(lattice, s, first, end, logZ);
  return logZ;
}

/**
 * Computes out[y] = log of the sum of exp(x[y'] + a_t(y', y)) over the previous labels or, backward, out[y'] over the next
 * labels.
 */
function sumsInLogs(
  { labels, pairLists }: Lattice,
  t: number,
  x: Float64Array,
  out: Float64Array,
  isBackward: boolean,
): void {
  const { starts, pairs } = pairLists;
  const scores = pairLists.scores.view;
  const active = Array.from({ length: labels }, () => [] as [other: number, score: number][]);
  for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
    const from = pairs[k]! & 65535;
    const to = pairs[k]! >>> 16;
    active[isBackward ? from : to]!.push([isBackward ? to : from, scores[k]!]);
  }
  const rows = x.subarray(0, labels);
  const most = Math.max(...rows);
  const sum = rows.reduce((total, value) => total + Math.exp(value - most), 0);
  for (let y = 0; y < labels; y += 1) {
    let top = most;
    for (const [other, score] of active[y]!) top = Math.max(top, x[other]! + score);
    if (top === Number.NEGATIVE_INFINITY) {
      out[y] = top;
      continue;
    }
    let value = sum * Math.exp(most - top);
    let start = value;
    for (const [other, score] of active[y]!) {
      const added = Math.exp(x[other]! + score - top);
      start += added;
      value += added - Math.exp(x[other]! - top);
    }
    if (value >= leastShare * start) out[y] = top + Math.log(value);
    else {
      const all = rows.slice();
      for (const [other, score] of active[y]!) all[other]! += score;
      out[y] = logSum(all);
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
  const { width, matrixSize, pairLists, edgeSlots } = lattice;
  const { starts, pairs, plain } = pairLists;
  const alpha = lattice.logAlpha.view;
  const beta = lattice.logBeta.view;
  const emissions = lattice.emissionScores.view;
  const scores = pairLists.scores.view;
  const edges = lattice.edges.view;
  const sums = lattice.transitions.view;
  const sum = lattice.pairSumsAt(s);
  sums.fill(0, sum, sum + matrixSize);
  for (let t = first + 1; t < end; t += 1) {
    const row = t * width;
    for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
      const from = pairs[k]! & 65535;
      const to = pairs[k]! >>> 16;
      const before = alpha[row - width + from]! + scores[k]!;
      const marginal = Math.exp(before + emissions[row + to]! + beta[row + to]! - logZ);
      const slot = edgeSlots[t]!;
      if (slot >= 0) edges[slot * matrixSize + from * width + to] = marginal;
      if (k - starts[t]! < plain) sums[sum + from * width + to]! += marginal;
    }
  }
}
