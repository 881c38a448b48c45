import type { Contribution } from '../../core/training/contribution.js';
import type { CompactPlane } from '../compact/compact-plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import { accumulateEdges } from './accumulate.js';

/** plane += gradient of one sentence, for a compact store; see `Kernel.accumulateCompressed`. */
export function accumulateCompressed(
  store: ParameterStore,
  plane: CompactPlane,
  contribution: Contribution,
  s: number,
): void {
  const { minibatch, residual } = contribution;
  const { sentenceStarts, stateStarts, stateRows, stateValues } = minibatch;
  const { numbers, starts, labels, denseRows } = store.compressed!;
  const { width } = store;
  const target = plane.state.view;
  const dense = plane.dense.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const row = t * width;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = stateValues === undefined ? 1 : stateValues[k]!;
      const number = numbers[stateRows[k]!]!;
      const from = denseRows[number]! * width;
      if (from >= 0) {
        for (let y = 0; y < width; y += 1) dense[from + y]! += value * residual[row + y]!;
      }
      for (let pair = starts[number]!; pair < starts[number + 1]!; pair += 1) {
        target[pair]! += value * residual[row + labels[pair]!]!;
      }
    }
  }
  if (store.layout.transitions) {
    const size = store.matrixSize;
    const transitions = plane.edges.view;
    const from = contribution.transitionResidual;
    for (let i = 0; i < size; i += 1) transitions[i]! += from[s * size + i]!;
  }
  if (minibatch.edgeStarts !== undefined) accumulateEdges(store, plane, contribution, s, 1);
}
