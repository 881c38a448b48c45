import type { Lattice } from '../lattice.js';
import type { PairLists } from '../pairs/pair-lists.js';

/** Returns the index of a pair's entry among the entries [from, to); -1 if there is none. */
type FindPair = (lists: PairLists, from: number, to: number, pair: number) => number;

const findPair: FindPair = ({ pairs }, from, to, pair) => {
  let k = from;
  while (k < to && pairs[k] !== pair) k += 1;
  return k < to ? k : -1;
};

/**
 * Returns the score of one label sequence, the sum of e_t(y_t) and a_t(y_{t-1}, y_t); see
 * `Kernel.pathScore`.
 */
export function pathScore(
  lattice: Lattice,
  s: number,
  path: Int32Array,
  find: FindPair = findPair,
): number {
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { width, matrixSize, pairLists } = lattice;
  if (pairLists.isListed(s)) return pairPathScore(lattice, first, end, path, find);
  if (lattice.candidates.isPruned(s)) return prunedPathScore(lattice, first, end, path);
  const scores = lattice.emissionScores.view;
  const transitions = lattice.transitionScores.view;
  const edgeScores = lattice.edgeScores.view;
  let total = scores[first * width + path[first]!]!;
  for (let t = first + 1; t < end; t += 1) {
    const slot = lattice.edgeSlots[t]!;
    const pair = path[t - 1]! * width + path[t]!;
    total += slot < 0 ? transitions[pair]! : edgeScores[slot * matrixSize + pair]!;
    total += scores[t * width + path[t]!]!;
  }
  return total;
}

function prunedPathScore(
  { emissionScores, width, candidates: { transitions, scale } }: Lattice,
  first: number,
  end: number,
  path: Int32Array,
): number {
  const emissions = emissionScores.view;
  const scores = transitions.view;
  const rounded = scores instanceof Float32Array ? Math.fround : (score: number) => score;
  let total = emissions[first * width + path[first]!]!;
  for (let t = first + 1; t < end; t += 1) {
    total += rounded(scale * scores[path[t - 1]! * width + path[t]!]!);
    total += emissions[t * width + path[t]!]!;
  }
  return total;
}

function pairPathScore(
  { emissionScores, width, pairLists }: Lattice,
  first: number,
  end: number,
  path: Int32Array,
  find: FindPair,
): number {
  const { starts } = pairLists;
  const emissions = emissionScores.view;
  const scores = pairLists.scores.view;
  let total = emissions[first * width + path[first]!]!;
  for (let t = first + 1; t < end; t += 1) {
    const pair = path[t - 1]! + 65536 * path[t]!;
    const entry = find(pairLists, starts[t]!, starts[t + 1]!, pair);
    if (entry >= 0) total += scores[entry]!;
    total += emissions[t * width + path[t]!]!;
  }
  return total;
}
