import type { Contribution } from '../../core/contribution.js';
import type { CompactPlane } from '../compact/compact-plane.js';
import type { ParameterStore } from '../parameter-store.js';
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
  const { starts, labels } = store.compressed!;
  const target = plane.state.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const row = t * store.width;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const value = stateValues === undefined ? 1 : stateValues[k]!;
      const feature = stateRows[k]!;
      for (let pair = starts[feature]!; pair < starts[feature + 1]!; pair += 1) {
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
