import type { Reals } from '../../core/reals.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { Optimizer } from '../../optimizers/optimizer.js';
import type { Model } from '../model.js';

/**
 * Takes away the features that have no weight and were not seen since the last pruning, so that a model
 * stays as large as what it needs while ever-new words pass. What the penalty still takes is charged before;
 * rows of features that go are as if never used, and are given to the next new features, the lowest first.
 *
 * Rows that stay keep their numbers, and a feature that was met since the last pruning stays: sentences
 * encoded since then remain valid. Cost O(all weights).
 */
export function pruneFeatures(model: Model, optimizer: Optimizer): void {
  const { parameters, stateIndex, edgeIndex } = model;
  if (!(stateIndex instanceof ExactIndex && edgeIndex instanceof ExactIndex)) return;
  model.reserve();
  optimizer.settle?.();
  const { stateRows, edgeRows, width, matrixSize, weights } = parameters;
  const rows = stateIndex.prune(withWeights(weights.state.view, width, 0, stateRows));
  // Block 0 is the plain transitions, which always stay.
  const has = withWeights(weights.edges.view, matrixSize, 1, edgeRows - 1);
  // A weight may be a negative zero.
  parameters.clear(
    rows,
    edgeIndex.prune(has).map(row => row + 1),
  );
}

/** For each of `count` parts of a table from part `first` on whether it has a number that is not zero. */
function withWeights(table: Reals, size: number, first: number, count: number): Uint8Array {
  const has = new Uint8Array(count);
  for (let part = 0; part < count; part += 1) {
    const start = (first + part) * size;
    let at = start;
    while (at < start + size && table[at] === 0) at += 1;
    if (at < start + size) has[part] = 1;
  }
  return has;
}
