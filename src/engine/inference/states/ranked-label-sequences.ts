import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { NBest, RankedPath } from '../n-best.js';
import type { LabelScore } from './label-score.js';

/** Settings of a search for label sequences with hidden states. */
export interface StateSearch {
  readonly nBest: NBest;
  readonly labelScore: LabelScore;
  /** Number of states per label. */
  readonly states: number;
}

/** Maximum number of state sequences examined per requested label sequence. */
const mostEach = 64;

/** Maximum number of labels held for all state sequences. */
const mostLabels = 2 ** 22;

/**
 * Returns good label sequences of one sentence of a scored float64 lattice whose labels have hidden
 * states, highest score first: the labels of the best state sequences, each scored by the sum over
 * all of its state sequences.
 *
 * Finding the label sequences with the largest sums takes exponential time: one whose sum is spread
 * over many state sequences may be missing, and fewer than `count` may be found if all the best
 * state sequences belong to few label sequences. Cost O(T L^2 + k T L) for k state sequences
 * examined: `count` at first, doubled as needed, at most 64 per requested label sequence.
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

/** Returns the label sequences of state sequences in order, without duplicates. */
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
