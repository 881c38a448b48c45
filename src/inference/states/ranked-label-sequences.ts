import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { NBest, RankedPath } from '../n-best.js';
import type { LabelScore } from './label-score.js';

/** Searches for label sequences with hidden states. */
export interface StateSearch {
  readonly nBest: NBest;
  readonly labelScore: LabelScore;
  /** States per label. */
  readonly states: number;
}

/** Most state sequences examined per requested label sequence. */
const mostEach = 64;

/** Most labels held for all of them. */
const mostLabels = 2 ** 22;

/**
 * Returns good label sequences of one sentence of a scored float64 lattice whose labels have hidden states, the
 * highest score first: those of the best state sequences, each with its score summed over all of its states.
 *
 * Finding the label sequences with the largest sums takes exponential time: one whose sum is spread over many state
 * sequences may be missing, and there may be fewer than `count` if few label sequences own all the best state
 * sequences. Cost O(T L^2 + k T L) for the k state sequences examined: first `count`, then doubling as needed, at
 * most 64 per requested one.
 *
 * @throws TagstreamError as `NBest.paths`
 */
export function rankedLabelSequences(
  { nBest, labelScore, states }: StateSearch,
  { kernel, lattice }: { readonly kernel: Kernel; readonly lattice: Lattice },
  s: number,
  count: number,
): RankedPath[] {
  const { sentenceStarts } = lattice.batch!;
  const length = sentenceStarts[s + 1]! - sentenceStarts[s]!;
  const most = Math.max(count, Math.min(mostEach * count, Math.floor(mostLabels / length)));
  for (let looked = Math.min(most, 2 * count); ; looked = Math.min(most, 2 * looked)) {
    const paths = nBest.paths(kernel, lattice, s, looked);
    const found = distinct(paths, states);
    if (found.length < count && paths.length === looked && looked < most) continue;
    return found
      .map(labels => ({ labels, score: labelScore.of(lattice, s, labels, 0) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, count);
  }
}

/** The label sequences of state sequences, without duplicates, in order. */
function distinct(paths: readonly RankedPath[], states: number): Int32Array[] {
  const found = new Map<string, Int32Array>();
  for (const { labels } of paths) {
    toFirstStates(labels, 0, labels.length, states);
    const key = labels.join(' ');
    if (!found.has(key)) found.set(key, labels);
  }
  return [...found.values()];
}

/** Replaces the states `[from, to)` by the first states of their labels. */
export function toFirstStates(labels: Int32Array, from: number, to: number, states: number): void {
  for (let t = from; t < to; t += 1) labels[t]! -= labels[t]! % states;
}
