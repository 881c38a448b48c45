import type { Lattice } from '../../lattice.js';
import type { SimdMemory } from '../simd-memory.js';
import { viterbiByPairs } from './listed-in-simd.js';
import { viterbiPrunedInSimd } from './pruned-in-simd.js';

/** The best labels of a sentence to `best`, one a token of the batch; returns their score. */
export function viterbiInSimd(simd: SimdMemory, lattice: Lattice, s: number, best: number): number {
  if (lattice.pairLists.isListed(s)) return viterbiByPairs(simd, lattice, s, best);
  if (lattice.candidates.isPruned(s)) return viterbiPrunedInSimd(simd, lattice, s, best);
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { labels, width, emissionScores, transitionScores, alpha } = lattice;
  const { run } = simd;
  const lists = simd.pathListsOf(lattice, s);
  if (lists !== undefined) {
    return run.viterbiSparse(
      first,
      end,
      labels,
      width,
      emissionScores.offset,
      lists.forward,
      lists.backward,
      lists.incoming,
      lists.transposed,
      alpha.offset,
      best,
    );
  }
  return run.viterbi(
    first,
    end,
    labels,
    width,
    emissionScores.offset,
    transitionScores.offset,
    simd.slotsOf(lattice),
    lattice.edgeScores.offset,
    lattice.matrixSize,
    simd.transposedOf(lattice),
    alpha.offset,
    best,
  );
}
