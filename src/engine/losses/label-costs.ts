import type { Lattice } from '../kernels/lattice.js';
import { isPartial } from './partial/allowed.js';
import { LossScratch } from './residuals/loss-scratch.js';

/** The costs of wrong labels. */
export interface LabelCosts {
  /** Cost of a label that differs from the gold one. */
  readonly wrong: number;
  /** Cost of the label `outside` at a token with another gold label. */
  readonly missed: number;
  /** Number of the label `O`; -1 if there is none. */
  readonly outside: number;
}

/**
 * Returns the cost of each label of sentence `s`, `[T x width]`: 0 for the gold or allowed labels of a token, and
 * for all labels of an unconstrained one. The next call overwrites them. Cost O(T L).
 */
export function labelCosts(
  lattice: Lattice,
  s: number,
  gold: Int32Array,
  { wrong, missed, outside }: LabelCosts,
): Float64Array {
  const { sentenceStarts, allowedStarts, allowedLabels } = lattice.batch!;
  const partial = isPartial(lattice.batch!, s);
  const { labels, width } = lattice;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  const costs = LossScratch.of(lattice).costs((end - first) * width);
  for (let t = first; t < end; t += 1) {
    const row = (t - first) * width;
    const from = partial ? allowedStarts![t]! : 0;
    const to = partial ? allowedStarts![t + 1]! : 1;
    // No label is wrong if nothing is known about the token.
    const cost = from === to ? 0 : wrong;
    for (let y = 0; y < labels; y += 1) costs[row + y] = cost;
    if (outside >= 0 && outside < labels && from < to) costs[row + outside] = missed;
    for (let y = labels; y < width; y += 1) costs[row + y] = 0;
    for (let k = from; k < to; k += 1) {
      costs[row + (partial ? allowedLabels![k]! : gold[t]!)] = 0;
    }
  }
  return costs;
}
