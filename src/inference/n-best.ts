import { TagstreamError } from '../core/errors.js';
import type { Lattice } from '../kernels/lattice.js';

/** Ranks of all labels of all tokens that are held at most: 800 MB. */
const mostRanks = 2 ** 26;

/** One of the best label sequences of a sentence. */
export interface RankedPath {
  /** Label of each token. */
  readonly labels: Int32Array;
  /** Sum of its emission and transition scores. */
  readonly score: number;
}

/**
 * The `count` best label sequences of one sentence of a scored lattice, the best first: k-best Viterbi,
 * exact, in float64 whatever the lattice's precision.
 *
 * Fewer where there are fewer that no score of minus infinity forbids. Equally good ones come in the order
 * of their labels, the lower first, compared at the last token first; the first one is that of Viterbi in
 * float64. Cost O(k T L^2) time, O(k T L) memory.
 *
 * @throws TagstreamError `too-large` where k T L is above 2^26
 */
export function nBest(lattice: Lattice, s: number, count: number): RankedPath[] {
  const batch = lattice.batch!;
  const first = batch.sentenceStarts[s]!;
  const length = batch.sentenceStarts[s + 1]! - first;
  const { labels, width } = lattice;
  const most = Math.max(1, mostPaths(labels, length, count));
  const states = length * labels;
  if (states * most > mostRanks) {
    throw new TagstreamError('too-large', `${count} best sequences of ${length} tokens`, {
      fix: 'ask for fewer, or split the text into sentences',
    });
  }
  // Best scores of each state, the best first, and for each the place of the one before it.
  const scores = new Float64Array(states * most).fill(Number.NEGATIVE_INFINITY);
  const before = new Int32Array(states * most).fill(-1);
  const emissions = lattice.emissionScores.view;
  for (let y = 0; y < labels; y += 1) scores[y * most] = emissions[first * width + y]!;
  const taken = new Int32Array(labels);
  for (let t = 1; t < length; t += 1) {
    const slot = lattice.edgeSlots[first + t]!;
    const matrix = slot < 0 ? lattice.transitionScores.view : lattice.edgeScores.view;
    const base = slot < 0 ? 0 : slot * lattice.matrixSize;
    const source = (t - 1) * labels;
    for (let y = 0; y < labels; y += 1) {
      const target = (t * labels + y) * most;
      const emission = emissions[(first + t) * width + y]!;
      taken.fill(0);
      for (let rank = 0; rank < most; rank += 1) {
        let best = Number.NEGATIVE_INFINITY;
        let bestFrom = -1;
        for (let from = 0; from < labels; from += 1) {
          const next = taken[from]!;
          if (next === most) continue;
          const score = scores[(source + from) * most + next]! + matrix[base + from * width + y]!;
          if (score > best) {
            best = score;
            bestFrom = from;
          }
        }
        if (bestFrom < 0 || emission === Number.NEGATIVE_INFINITY) break;
        scores[target + rank] = best + emission;
        before[target + rank] = (source + bestFrom) * most + taken[bestFrom]!;
        taken[bestFrom]! += 1;
      }
    }
  }
  const last = (length - 1) * labels * most;
  const ends = Array.from({ length: labels * most }, (_, i) => last + i)
    .filter(end => scores[end]! > Number.NEGATIVE_INFINITY)
    // Sorting is stable: of equal ones the lower label stays first.
    .sort((a, b) => scores[b]! - scores[a]!);
  return ends.slice(0, count).map(end => {
    const path = new Int32Array(length);
    let at = end;
    for (let t = length - 1; t >= 0; t -= 1) {
      path[t] = Math.floor(at / most) - t * labels;
      at = before[at]!;
    }
    return { labels: path, score: scores[end]! };
  });
}

/** `count`, or all sequences that there are of so many tokens, if these are fewer. */
function mostPaths(labels: number, length: number, count: number): number {
  let paths = 1;
  for (let t = 0; t < length && paths < count; t += 1) {
    if (labels === 1) return 1;
    paths *= labels;
  }
  return Math.min(paths, count);
}
