import type { Contribution } from '../../core/training/contribution.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { StatePairs } from '../store/state-pairs.js';
import type { Support } from '../store/support.js';
import { accumulatePruned } from './accumulate-pruned.js';

/** plane += factor * gradient of one sentence; see `Kernel.accumulate`. */
export function accumulate(
  store: ParameterStore,
  plane: Plane,
  contribution: Contribution,
  s: number,
  factor: number,
  everywhere = false,
): void {
  const support = everywhere ? undefined : store.support;
  if (store.statePairs === undefined) {
    accumulateState(store, support, plane, contribution, s, factor);
  } else {
    accumulatePairs(store.statePairs, plane, contribution, s, factor);
  }
  if (contribution.pruned?.isPruned(s) === true) {
    accumulatePruned(store, support, plane, contribution, s, factor);
  } else if (store.layout.transitions) {
    accumulateTransitions(store, support, plane, contribution, s, factor);
  }
  if (contribution.minibatch.edgeStarts !== undefined) {
    accumulateEdges(store, plane, contribution, s, factor);
  }
}

function accumulateState(
  store: ParameterStore,
  support: Support | undefined,
  plane: Plane,
  contribution: Contribution,
  s: number,
  factor: number,
): void {
  const { sentenceStarts, stateStarts, stateRows, stateValues } = contribution.minibatch;
  const { labels, width } = store;
  const target = plane.state.view;
  const residual = contribution.residual;
  const allowed = support?.state;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const row = t * width;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const feature = stateRows[k]! * width;
      const step = stateValues === undefined ? factor : factor * stateValues[k]!;
      if (allowed === undefined) {
        for (let y = 0; y < labels; y += 1) target[feature + y]! += step * residual[row + y]!;
      } else {
        for (let y = 0; y < labels; y += 1) {
          if (allowed[feature + y] === 1) target[feature + y]! += step * residual[row + y]!;
        }
      }
    }
  }
}

/** The same where weights are stored for single pairs. */
function accumulatePairs(
  { starts, labels }: StatePairs,
  plane: Plane,
  { minibatch, residual, width }: Contribution,
  s: number,
  factor: number,
): void {
  const { sentenceStarts, stateStarts, stateRows, stateValues } = minibatch;
  const target = plane.state.view;
  for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
    const row = t * width;
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      const feature = stateRows[k]!;
      const step = stateValues === undefined ? factor : factor * stateValues[k]!;
      for (let i = starts[feature]!; i < starts[feature + 1]!; i += 1) {
        target[i]! += step * residual[row + labels[i]!]!;
      }
    }
  }
}

export function accumulateTransitions(
  store: ParameterStore,
  support: Support | undefined,
  plane: Plane,
  contribution: Contribution,
  s: number,
  factor: number,
): void {
  const size = store.matrixSize;
  const target = plane.edges.view;
  const residual = contribution.transitionResidual;
  const allowed = support?.transitions;
  const start = s * size;
  for (let i = 0; i < size; i += 1) {
    if (allowed === undefined || allowed[i] === 1) target[i]! += factor * residual[start + i]!;
  }
}

export function accumulateEdges(
  store: ParameterStore,
  plane: Plane,
  contribution: Contribution,
  s: number,
  factor: number,
): void {
  const { sentenceStarts, edgeValues } = contribution.minibatch;
  const edgeStarts = contribution.minibatch.edgeStarts!;
  const edgeRows = contribution.minibatch.edgeRows!;
  const { width, matrixSize } = store;
  const blocks = plane.edges.view;
  const pairs = plane.pairs.view;
  const residual = contribution.edgeResidual;
  const { heads, from, to, next } = store.pairs;
  for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
    const slot = contribution.edgeSlots[t]!;
    if (slot < 0) continue;
    const matrix = slot * matrixSize;
    for (let k = edgeStarts[t]!; k < edgeStarts[t + 1]!; k += 1) {
      const feature = edgeRows[k]!;
      const step = edgeValues === undefined ? factor : factor * edgeValues[k]!;
      if (store.hasEdgeBlocks) {
        const block = feature * matrixSize;
        for (let i = 0; i < matrixSize; i += 1) blocks[block + i]! += step * residual[matrix + i]!;
      } else {
        for (let pair = heads[feature]!; pair >= 0; pair = next[pair]!) {
          pairs[pair]! += step * residual[matrix + from[pair]! * width + to[pair]!]!;
        }
      }
    }
  }
}
