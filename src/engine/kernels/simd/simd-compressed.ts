import type { Contribution } from '../../core/training/contribution.js';
import type { CompactPlane } from '../compact/compact-store.js';
import type { Lattice } from '../lattice.js';
import { accumulateCompressed, accumulateEdges } from '../reference/accumulate.js';
import { scoreCompressed } from '../reference/score.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { accumulateChains } from './recursions/chains-in-simd.js';
import type { SimdMemory } from './simd-memory.js';

/** Computes the emission scores of a lattice's batch from a store's compressed rows. */
export function scoreCompressedRows(
  simd: SimdMemory,
  store: ParameterStore,
  lattice: Lattice,
): void {
  const { emissionScores, width, batch } = lattice;
  const { compact, tokens, sentenceStarts } = batch!;
  const compressed = store.compressed!;
  if (compact === undefined) {
    scoreCompressed(compressed, lattice, batch!, store.scale);
    return;
  }
  const isNarrow = emissionScores.precision === 'float32';
  const sums = isNarrow ? simd.sums(tokens * width) : emissionScores.offset;
  const run = simd.run.compressed;
  const { dense, pairs, firstRows } = compact;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const first = sentenceStarts[s]!;
    const count = sentenceStarts[s + 1]! - first;
    const into = sums + 8 * first * width;
    const shift = 4 * firstRows[s]!;
    run.scoreEmissions_f64(
      into,
      compressed.dense.offset,
      dense.starts + shift,
      dense.rows,
      dense.values,
      count,
      width,
      1,
    );
    run.addPairs(
      into,
      compressed.weights.offset,
      pairs.starts + shift,
      pairs.rows,
      pairs.labels,
      pairs.values,
      count,
      width,
    );
  }
  if (isNarrow) run.narrow(emissionScores.offset, sums, tokens * width);
  if (store.scale === 1) return;
  simd.run.scaleNumbers(emissionScores.offset, tokens * width, store.scale);
}

/** Runs `Kernel.accumulateCompressed`; residuals in another memory are left to the reference. */
export function accumulateCompressedRows(
  simd: SimdMemory,
  store: ParameterStore,
  plane: CompactPlane,
  contribution: Contribution,
  s: number,
): void {
  const { minibatch } = contribution;
  const { compact, sentenceStarts } = minibatch;
  if (compact === undefined || contribution.residual.buffer !== store.memory.buffer) {
    accumulateCompressed(store, plane, contribution, s);
    return;
  }
  const { width, matrixSize } = store;
  const run = simd.run.compressed;
  const first = sentenceStarts[s]!;
  const end = sentenceStarts[s + 1]!;
  // Must precede all views, which become invalid when memory grows.
  if (store.precision === 'float32') simd.sums(Math.max((end - first) * width, matrixSize));
  const { residual, transitionResidual } = contribution;
  const { dense, pairs, firstRows } = compact;
  const shift = 4 * (firstRows[s]! - first);
  const rows = inFloat64(simd, residual, first * width, end * width);
  run.accumulateRows_f64(
    plane.dense.offset,
    rows,
    dense.starts + shift,
    dense.rows,
    dense.values,
    first,
    end,
    width,
    1,
    0,
    0,
  );
  run.accumulatePairs(
    plane.state.offset,
    rows,
    pairs.starts + shift,
    pairs.rows,
    pairs.labels,
    pairs.values,
    first,
    end,
    width,
  );
  if (store.layout.transitions) {
    const from = s * matrixSize;
    const matrix = inFloat64(simd, transitionResidual, from, from + matrixSize) + 8 * from;
    run.addScaled_f64(plane.edges.offset, matrix, matrixSize, 1);
  }
  if (minibatch.edgeStarts === undefined) return;
  if (store.hasEdgeBlocks) accumulateBlocks(simd, store, plane, contribution, s);
  else {
    const { byteOffset } = contribution.edgeResidual;
    if (!accumulateChains(simd, store, plane.pairs, contribution, s, 1, byteOffset)) {
      accumulateEdges(store, plane, contribution, s, 1);
    }
  }
}

function accumulateBlocks(
  simd: SimdMemory,
  { matrixSize }: ParameterStore,
  plane: CompactPlane,
  { minibatch, edgeResidual, edgeSlots }: Contribution,
  s: number,
): void {
  const { sentenceStarts, edgeStarts, edgeRows, edgeValues } = minibatch;
  for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
    if (edgeSlots[t]! < 0) continue;
    const from = edgeSlots[t]! * matrixSize;
    const matrix = inFloat64(simd, edgeResidual, from, from + matrixSize) + 8 * from;
    for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
      const block = plane.edges.offset + edgeRows![k]! * matrixSize * 8;
      const value = edgeValues === undefined ? 1 : edgeValues[k]!;
      simd.run.compressed.addScaled_f64(block, matrix, matrixSize, value);
    }
  }
}

/**
 * Returns the address that element 0 of a table has, or would have, if the elements `[from, to)` are
 * in float64; converts a copy if they are not.
 */
function inFloat64(
  simd: SimdMemory,
  { BYTES_PER_ELEMENT, byteOffset }: Contribution['residual'],
  from: number,
  to: number,
): number {
  if (BYTES_PER_ELEMENT === 8) return byteOffset;
  const sums = simd.sums(to - from);
  simd.run.compressed.widen(sums, byteOffset + 4 * from, to - from);
  return sums - 8 * from;
}
