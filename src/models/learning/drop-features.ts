import type { Reals } from '../../core/arrays.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { Optimizer } from '../../optimizers/optimizer.js';
import type { Model } from '../model.js';

/** Share of the maximum number of features to keep: the rest is room before the next eviction. */
const stay = 0.75;

/** A model with what learns its weights. */
interface Learned {
  readonly model: Model;
  readonly optimizer: Pick<Optimizer, 'prepare' | 'kept' | 'forget'>;
}

/**
 * Where a model has more features than its limit allows, takes a quarter of them away: those with the smallest weights, by
 * how long they were not seen, see `entryWorth`. Their rows are as if never used, for any optimizer,
 * and are given to the next new features, the lowest first.
 *
 * Rows that stay keep their numbers. Features of the sentence that was encoded last stay: it may wait for the next
 * minibatch. Cost O(all weights) for each such quarter.
 *
 * @param twins learners of twins of the model: a weight is as large as the largest of all, and the smallest limit counts
 * @returns features that went
 */
export function evictFeatures(
  model: Model,
  optimizer: Learned['optimizer'],
  twins: readonly Learned[] = [],
): number {
  const { stateIndex, edgeIndex, mostFeatures } = model;
  if (mostFeatures === undefined) return 0;
  if (!(canGrow(stateIndex) && canGrow(edgeIndex))) return 0;
  let { state: mostState, edges: mostEdges } = mostFeatures;
  for (const twin of twins) {
    const most = twin.model.mostFeatures!;
    mostState = Math.min(mostState, most.state);
    mostEdges = Math.min(mostEdges, most.edges);
  }
  const tooMany = { state: stateIndex.entries > mostState, edges: edgeIndex.entries > mostEdges };
  if (!tooMany.state && !tooMany.edges) return 0;
  const all: readonly Learned[] = [{ model, optimizer }, ...twins];
  for (const learned of all) {
    learned.model.reserve();
    learned.optimizer.prepare();
  }
  const last = model.lastEncoded;
  const entries = stateIndex.entries + edgeIndex.entries;
  const stores = all.map(learned => learned.model.parameters);
  let rows: Uint32Array = none;
  if (tooMany.state) {
    const strengths = largest(
      stores.map(({ weights, width, stateRows }) =>
        strengthsOf(weights.state.view, width, 0, stateRows),
      ),
    );
    for (const row of last?.stateRows ?? []) strengths[row] = Number.POSITIVE_INFINITY;
    for (const learned of all) {
      for (const row of learned.optimizer.kept?.() ?? []) {
        strengths[row] = Number.POSITIVE_INFINITY;
      }
    }
    rows = stateIndex.evict(strengths, Math.floor(stay * mostState));
  }
  let blocks: Uint32Array = none;
  if (tooMany.edges) {
    // Block 0 is the plain transitions, which always stay.
    const strengths = largest(
      stores.map(({ weights, matrixSize, edgeRows }) =>
        strengthsOf(weights.edges.view, matrixSize, 1, edgeRows - 1),
      ),
    );
    for (const block of last?.edgeRows ?? []) strengths[block - 1] = Number.POSITIVE_INFINITY;
    blocks = edgeIndex.evict(strengths, Math.floor(stay * mostEdges)).map(row => row + 1);
  }
  for (const learned of all) {
    learned.model.parameters.clear(rows, blocks);
    learned.optimizer.forget?.(rows, blocks);
  }
  return entries - stateIndex.entries - edgeIndex.entries;
}

/** The largest of several numbers at each place, in the first list. */
function largest([first, ...others]: readonly Float32Array[]): Float32Array {
  for (const other of others) {
    for (let i = 0; i < other.length; i += 1) first![i] = Math.max(first![i]!, other[i]!);
  }
  return first!;
}

const none = new Uint32Array(0);

/** For each of `count` parts of a table from part `first` on its largest number, without its sign. */
function strengthsOf(table: Reals, size: number, first: number, count: number): Float32Array {
  const strengths = new Float32Array(count);
  for (let part = 0; part < count; part += 1) {
    const start = (first + part) * size;
    let most = 0;
    for (let at = start; at < start + size; at += 1) most = Math.max(most, Math.abs(table[at]!));
    strengths[part] = most;
  }
  return strengths;
}

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
  if (!(canGrow(stateIndex) && canGrow(edgeIndex))) return;
  model.reserve();
  optimizer.settle?.();
  const { stateRows, edgeRows, width, matrixSize, weights } = parameters;
  const rows = stateIndex.prune(withWeights(weights.state.view, width, 0, stateRows));
  // Block 0 is the plain transitions, which always stay.
  const has = withWeights(weights.edges.view, matrixSize, 1, edgeRows - 1);
  const blocks = edgeIndex.prune(has).map(row => row + 1);
  // A weight may be a negative zero.
  parameters.clear(rows, blocks);
  optimizer.forget?.(rows, blocks);
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
