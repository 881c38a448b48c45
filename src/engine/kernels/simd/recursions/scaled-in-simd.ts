import type { Precision } from '../../../core/arrays.js';
import { hasOwnTransitions, type Lattice } from '../../lattice.js';
import type { SimdMemory } from '../simd-memory.js';
import { limits, scaledByPairs } from './listed-in-simd.js';
import { forwardBackwardPrunedInSimd } from './pruned-in-simd.js';

/**
 * Runs `Kernel.forwardBackwardScaled` over all transitions, over lists of the active ones, or over
 * lists of pairs.
 */
export function scaledInSimd(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  precision: Precision,
): number {
  if (lattice.pairLists.isListed(s)) return scaledByPairs(simd, lattice, s, precision);
  if (lattice.candidates.isPruned(s)) {
    return forwardBackwardPrunedInSimd(simd, lattice, s, limits[precision].bytes);
  }
  const lists = simd.listsOf(lattice).sums;
  const isSparse =
    lists.active &&
    lattice.exponentiatedBy === lists &&
    !lattice.closedTokens &&
    !hasOwnTransitions(lattice, s);
  return isSparse
    ? scaledByLists(simd, lattice, s, precision)
    : scaledDensely(simd, lattice, s, precision);
}

function scaledDensely(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  precision: Precision,
): number {
  const { labels, width, matrixSize } = lattice;
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const slots = simd.slotsOf(lattice);
  const { bytes, leastScale, ...least } = limits[precision];
  const { closedEnds, closedTokens } = lattice;
  const closed = closedTokens ? 2 : closedEnds ? 1 : 0;
  const leastValue = closedTokens ? least.leastOfClosed : least.leastValue;
  const logZ = simd.run.forward(
    first,
    end,
    labels,
    width,
    lattice.alpha.offset,
    lattice.expEmissions.offset,
    lattice.emissionMaxima.offset,
    lattice.scales.offset,
    lattice.expTransitions.offset,
    lattice.transitionMaximum,
    slots,
    lattice.expEdges.offset,
    lattice.edgeMaxima.offset,
    matrixSize,
    leastValue,
    leastScale,
    closed,
  );
  if (Number.isNaN(logZ)) return logZ;
  const safe = simd.run.backward(
    first,
    end,
    labels,
    width,
    lattice.alpha.offset,
    lattice.beta.offset,
    lattice.nodes.offset,
    lattice.expEmissions.offset,
    lattice.scales.offset,
    lattice.expTransitions.offset,
    lattice.expTransposed.offset,
    slots,
    lattice.expEdges.offset,
    lattice.edges.offset,
    lattice.readsPairSums || slots !== 0
      ? lattice.transitions.offset + lattice.pairSumsAt(s) * bytes
      : 0,
    matrixSize,
    leastValue,
    closed,
  );
  return safe === 0 ? Number.NaN : logZ;
}

function scaledByLists(
  simd: SimdMemory,
  lattice: Lattice,
  s: number,
  precision: Precision,
): number {
  const { run } = simd;
  const lists = simd.listsOf(lattice).sums;
  const { labels, width, alpha, beta, nodes, expTransitions } = lattice;
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  const { bytes, leastValue, leastScale } = limits[precision];
  const sums = lattice.readsPairSums
    ? lattice.transitions.offset + lattice.pairSumsAt(s) * bytes
    : 0;
  // Must come first, because making room may grow the memory.
  const blocks = sums === 0 ? 0 : lists.blocksOf(lattice);
  const rowBytes = width * bytes;
  const outgoing = simd.sums(Math.ceil(((sums === 0 ? 1 : end - first) * rowBytes) / 8));
  const logZ = run.forwardSparse(
    first,
    end,
    labels,
    width,
    alpha.offset,
    lattice.expEmissions.offset,
    lattice.emissionMaxima.offset,
    lattice.scales.offset,
    lists.forward,
    lattice.expTransposed.offset,
    lattice.transitionMaximum,
    leastValue,
    leastScale,
    lattice.closedEnds ? 1 : 0,
    blocks === 0 ? 0 : sums,
  );
  if (Number.isNaN(logZ)) return logZ;
  // Vectors for `sumBlocks`, rows for `sumPairs`, and a single row if the sums are not read.
  const nextToken = blocks !== 0 ? 16 : sums !== 0 ? rowBytes : 0;
  const safe = run.backwardSparse(
    first,
    end,
    labels,
    width,
    alpha.offset,
    beta.offset,
    lattice.readsBackward ? rowBytes : 0,
    nodes.offset,
    outgoing,
    nextToken,
    blocks === 0 ? 16 : 16 * (end - first),
    lattice.expEmissions.offset,
    lattice.scales.offset,
    lists.backward,
    expTransitions.offset,
    leastValue,
  );
  if (safe === 0) return Number.NaN;
  const exps = expTransitions.offset;
  if (blocks !== 0) {
    run.sumBlocks(first, end, labels, width, alpha.offset, outgoing, exps, blocks, sums);
  } else if (sums !== 0) {
    const rows = outgoing - first * rowBytes;
    run.sumPairs(first, end, labels, width, alpha.offset, rows, exps, sums);
  }
  return logZ;
}
