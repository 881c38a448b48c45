import type { Lattice } from '../../lattice.js';
import type { Pruning } from '../../pruning/candidates.js';
import { forwardBackwardPruned } from '../../reference/pruned.js';
import type { SimdMemory } from '../simd-memory.js';

/** Prunes the labels of each token; see `pruneTokens` in the reference. */
export function pruneInSimd(
  simd: SimdMemory,
  lattice: Lattice,
  bytes: number,
  { most, ratio }: Pruning,
): void {
  const { candidates, labels, width, batch } = lattice;
  const { sentenceStarts, gold, tokens, fixed } = batch!;
  // Must precede all offsets, because making room may grow the memory.
  const work = simd.sums(most + labels + Math.ceil(labels / 4));
  const kept = fixed ?? (lattice.keepsGold && gold.length > 0 ? gold : undefined);
  const golds = kept === undefined ? 0 : simd.goldOf(kept);
  const { startsOffset, labelsOffset } = candidates;
  let n = 0;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    if (!candidates.isPruned(s)) {
      candidates.starts.fill(n, first, end);
      continue;
    }
    n = simd.run.pruneTokens(
      ...([first, end, labels, width, bytes] as const),
      lattice.emissionScores.offset,
      ...([startsOffset, labelsOffset, n] as const),
      ...([most, Math.log(ratio), golds, fixed === undefined ? 0 : 1, work] as const),
    );
  }
  candidates.starts[tokens] = n;
}

/**
 * Runs `Kernel.forwardBackwardScaled` over the unpruned labels; falls back to the reference in log
 * space if necessary.
 */
export function forwardBackwardPrunedInSimd(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  bytes: number,
): number {
  const { candidates, width, batch } = lattice;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  // Must precede all offsets, because making room may grow the memory.
  const pairStarts = candidates.pairStarts(batch!);
  candidates.openVectors();
  const { startsOffset, labelsOffset, transitions, scale, alpha, beta, exps, scales, pairs } =
    candidates;
  const logZ = simd.run.forwardPruned(
    ...([first, end, width, bytes, lattice.emissionScores.offset] as const),
    ...([startsOffset, labelsOffset, transitions.offset, scale] as const),
    ...([alpha.offset, exps.offset, scales.offset] as const),
    pairs.offset + 8 * pairStarts[s]!,
  );
  const safe =
    !Number.isNaN(logZ) &&
    simd.run.backwardPruned(
      ...([first, end, width, bytes, startsOffset, labelsOffset] as const),
      ...([alpha.offset, beta.offset, exps.offset, scales.offset] as const),
      pairs.offset + 8 * pairStarts[s + 1]!,
      lattice.nodes.offset,
    ) !== 0;
  return safe ? logZ : forwardBackwardPruned(lattice, s);
}

/** Writes the best labels of a pruned sentence to `best`; returns their score. */
export function viterbiPrunedInSimd(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  best: number,
): number {
  const { candidates, labels, width, batch } = lattice;
  const bytes = lattice.emissionScores.precision === 'float64' ? 8 : 4;
  candidates.openVectors();
  const { startsOffset, labelsOffset, transitions, scale, alpha, beta } = candidates;
  return simd.run.viterbiPruned(
    ...([batch!.sentenceStarts[s]!, batch!.sentenceStarts[s + 1]!, labels, width, bytes] as const),
    ...([lattice.emissionScores.offset, startsOffset, labelsOffset] as const),
    ...([transitions.offset, scale, alpha.offset, beta.offset] as const),
    ...([lattice.alpha.offset, best] as const),
  );
}
