import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { NBest, RankedPath } from '../n-best.js';
import type { LabelScore } from './label-score.js';

/** What label sequences with hidden states are found by. */
export interface StateSearch {
  readonly nBest: NBest;
  readonly labelScore: LabelScore;
  /** States of each label. */
  readonly states: number;
}

/** Most sequences of states that are looked at for one label sequence that is wanted. */
const mostEach = 64;

/** Most labels of all of them, which have to be held. */
const mostLabels = 2 ** 22;

/**
 * Good label sequences of one sentence of a scored lattice in float64 whose labels have hidden states, the one with
 * the highest score first: those of the best sequences of states, each with its score summed over all of its states.
 *
 * Which label sequences have the largest sums takes exponential time to know: one whose sum is spread over many
 * sequences of states may be missing, and there may be fewer than `count` where few label sequences have all the best
 * sequences of states. Cost O(T L^2 + k T L), for the k sequences of states that are looked at: `count`, and twice as
 * many as often as needed, 64 for each that is wanted at most.
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

/** The label sequences of sequences of states, each once, in their order. */
function distinct(paths: readonly RankedPath[], states: number): Int32Array[] {
  const found = new Map<string, Int32Array>();
  for (const { labels } of paths) {
    toFirstStates(labels, 0, labels.length, states);
    const key = labels.join(' ');
    if (!found.has(key)) found.set(key, labels);
  }
  return [...found.values()];
}

/** Replaces the states `[from, to)` by the first states of their labels, which represent the labels. */
export function toFirstStates(labels: Int32Array, from: number, to: number, states: number): void {
  for (let t = from; t < to; t += 1) labels[t]! -= labels[t]! % states;
}
