import type { Precision } from '../../../core/arrays.js';
import type { Lattice } from '../../lattice.js';
import type { SimdMemory } from '../simd-memory.js';

/**
 * Limits below which a scaled recursion gives up. In float32 a value of 2^-100 is still exact, and
 * anything lost below it cannot become relevant as long as scales are at least 2^-60. If zeros are
 * legitimate, nonzero values must stay normal numbers when multiplied by two exponentials.
 */
export const limits = {
  float64: { bytes: 8, leastValue: 2 ** -900, leastOfClosed: 2 ** -400, leastScale: 2 ** -100 },
  float32: { bytes: 4, leastValue: 2 ** -100, leastOfClosed: 2 ** -46, leastScale: 2 ** -60 },
} as const;

/** Computes exp of the scores of a sentence's listed pairs. */
export function exponentiateListed(simd: SimdMemory, { batch, pairLists }: Lattice, s: number) {
  const { sentenceStarts } = batch!;
  simd.run.exponentiateListed(
    sentenceStarts[s]!,
    sentenceStarts[s + 1]!,
    pairLists.startsOffset,
    pairLists.scores.offset,
    pairLists.exps.offset,
    pairLists.maxima.offset,
    pairLists.bases.offset,
  );
}

/** Runs `Kernel.forwardBackwardScaled` over a sentence's listed pairs. */
export function scaledByPairs(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  precision: Precision,
): number {
  const { labels, width, matrixSize, alpha, beta, nodes, pairLists, expEmissions } = lattice;
  const { bytes, leastValue, leastScale } = limits[precision];
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  // Must come first, because making room may grow the memory.
  const slots = simd.slotsOf(lattice);
  const work = simd.sums(width);
  const { startsOffset, pairsOffset, exps, maxima, bases } = pairLists;
  const logZ = simd.run.forwardListed(
    first,
    end,
    labels,
    width,
    alpha.offset,
    expEmissions.offset,
    lattice.emissionMaxima.offset,
    lattice.scales.offset,
    startsOffset,
    pairsOffset,
    exps.offset,
    maxima.offset,
    bases.offset,
    work,
    leastValue,
    leastScale,
  );
  if (Number.isNaN(logZ)) return logZ;
  const safe = simd.run.backwardListed(
    first,
    end,
    labels,
    width,
    alpha.offset,
    beta.offset,
    nodes.offset,
    expEmissions.offset,
    lattice.scales.offset,
    startsOffset,
    pairsOffset,
    exps.offset,
    bases.offset,
    work,
    slots,
    lattice.edges.offset,
    lattice.readsPairSums ? lattice.transitions.offset + lattice.pairSumsAt(s) * bytes : 0,
    pairLists.plain,
    matrixSize,
    leastValue,
  );
  return safe === 0 ? Number.NaN : logZ;
}

/** Writes the best labels of a sentence with listed pairs to `best`; returns their score. */
export function viterbiByPairs(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  best: number,
): number {
  const { labels, width, emissionScores, alpha, pairLists, batch } = lattice;
  const work = simd.sums(width);
  return simd.run.viterbiListed(
    batch!.sentenceStarts[s]!,
    batch!.sentenceStarts[s + 1]!,
    labels,
    width,
    emissionScores.offset,
    pairLists.startsOffset,
    pairLists.pairsOffset,
    pairLists.scores.offset,
    work,
    alpha.offset,
    best,
  );
}
