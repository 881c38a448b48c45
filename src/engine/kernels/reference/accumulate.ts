import type { Contribution } from '../../core/training/contribution.js';
import type { CompactPlane } from '../compact/compact-store.js';
import type { Plane } from '../memory/plane.js';
import type { ParameterStore } from '../store/parameter-store.js';
import type { StatePairs } from '../store/state-pairs.js';
import type { Support } from '../store/support.js';

/** Computes plane += factor * gradient of one sentence; see `Kernel.accumulate`. */
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

/** Does the same for weights stored as single pairs. */
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

/**
 * Updates plain transitions as in `Kernel.accumulate`, for the remaining pairs of a pruned
 * sentence. Cost O(T k^2).
 */
export function accumulatePruned(
  { layout, width }: ParameterStore,
  support: Support | undefined,
  plane: Plane,
  { minibatch, pruned }: Contribution,
  s: number,
  factor: number,
): void {
  if (!layout.transitions) return;
  const target = plane.edges.view;
  const allowed = support?.transitions;
  const { starts, labels, pairs } = pruned!.lists();
  let pair = pruned!.pairStarts[s]!;
  for (let t = minibatch.sentenceStarts[s]! + 1; t < minibatch.sentenceStarts[s + 1]!; t += 1) {
    for (let i = starts[t - 1]!; i < starts[t]!; i += 1) {
      const row = labels[i]! * width;
      for (let j = starts[t]!; j < starts[t + 1]!; j += 1, pair += 1) {
        const at = row + labels[j]!;
        if (allowed === undefined || allowed[at] === 1) target[at]! += factor * pairs[pair]!;
      }
    }
  }
}

/**
 * Computes plane += gradient of one sentence, for a compact store; see
 * `Kernel.accumulateCompressed`.
 */
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
