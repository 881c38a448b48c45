import type { Contribution } from '../../../core/training/contribution.js';
import type { RealTable } from '../../memory/real-table.js';
import type { AddChain } from '../../pairs/pair-lists.js';
import { listChain } from '../../reference/score.js';
import type { ParameterStore } from '../../store/parameter-store.js';
import type { SimdMemory } from '../simd-memory.js';

/**
 * Returns the function that lists the pairs of a feature's chain; see `AddChain`. While chains grow, it is the reference.
 */
export function listChainInSimd(simd: SimdMemory, store: ParameterStore): AddChain {
  const { chains, run } = simd;
  if (!chains.has(store.pairs)) return listChain(store);
  const { starts, pairs, slots } = chains;
  const weights = store.weights.pairs.offset;
  return (lists, feature, value, n, start) =>
    run.listChain(
      starts[feature]!,
      starts[feature + 1]!,
      pairs,
      slots,
      weights,
      value,
      n,
      start,
      lists.pairsOffset,
      lists.scores.offset,
      start < 0 ? 0 : lists.marksOffset,
      lists.epoch,
      store.width,
    );
}

/**
 * Computes numbers += factor * gradient of the chained pairs of sentence `s`, whose edge residuals lie in the kernel's
 * memory from `residual` on; while chains grow, does nothing and returns false. The numbers may be float64 even if the
 * residuals are not.
 */
export function accumulateChains(
  simd: SimdMemory,
  store: ParameterStore,
  numbers: RealTable,
  contribution: Contribution,
  s: number,
  factor: number,
  residual: number,
): boolean {
  const { chains, run } = simd;
  if (!chains.has(store.pairs)) return false;
  const { sentenceStarts, edgeStarts, edgeRows, edgeValues } = contribution.minibatch;
  const { starts, pairs, slots } = chains;
  const { width, matrixSize, precision } = store;
  const isWidened = precision === 'float32' && numbers.precision === 'float64';
  const add = isWidened ? run.compressed.addChainInFloat64 : run.addChain;
  const matrixBytes = matrixSize * (precision === 'float64' ? 8 : 4);
  for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = contribution.edgeSlots[t]!;
    if (slot < 0) continue;
    const matrix = residual + slot * matrixBytes;
    for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
      const feature = edgeRows![k]!;
      const step = edgeValues === undefined ? factor : factor * edgeValues[k]!;
      const [from, to] = [starts[feature]!, starts[feature + 1]!];
      add(from, to, pairs, slots, numbers.offset, matrix, width, step);
    }
  }
  return true;
}
