import type { Reals } from '../../core/arrays.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { Optimizer } from '../../optimizers/optimizer.js';
import type { Model } from '../model.js';

/**
 * Share of the maximum number of features that an eviction keeps; the rest is room until the next
 * one.
 */
const stay = 0.75;

/** A model, and the optimizer that learns its weights. */
interface Learned {
  readonly model: Model;
  readonly optimizer: Pick<Optimizer, 'prepare' | 'kept' | 'forget'>;
}

/**
 * Evicts a quarter of a model's features if it exceeds its limit: those with the smallest weights, discounted by the time
 * since they were last seen (see `entryWorth`). Their rows become as good as new for any optimizer, and are assigned to
 * the next new features, lowest first.
 *
 * Other rows keep their numbers. Features of the last encoded sentence are kept, because the sentence may be waiting
 * for the next minibatch. Cost O(all weights) per eviction.
 *
 * @param twins learners of the model's twins; the largest weight and the smallest limit among all of them count
 * @returns number of evicted features
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
    // Block 0 is the plain transitions, which are always kept.
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

/** Computes the elementwise maximum of several arrays in the first one. */
function largest([first, ...others]: readonly Float32Array[]): Float32Array {
  for (const other of others) {
    for (let i = 0; i < other.length; i += 1) first![i] = Math.max(first![i]!, other[i]!);
  }
  return first!;
}

const none = new Uint32Array(0);

/**
 * Returns the largest absolute number in each of `count` parts of a table, starting with part
 * `first`.
 */
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
 * Removes features that have no weight and were not seen since the last pruning, which limits a model's
 * size on a stream of ever-new words. Pending penalties are charged first; rows of removed features become
 * as good as new, and are assigned to the next new features, lowest first.
 *
 * Other rows keep their numbers, and features seen since the last pruning are kept, so that sentences
 * encoded since then remain valid. Cost O(all weights).
 */
export function pruneFeatures(model: Model, optimizer: Optimizer): void {
  const { parameters, stateIndex, edgeIndex } = model;
  if (!(canGrow(stateIndex) && canGrow(edgeIndex))) return;
  model.reserve();
  optimizer.settle?.();
  const { stateRows, edgeRows, width, matrixSize, weights } = parameters;
  const rows = stateIndex.prune(withWeights(weights.state.view, width, 0, stateRows));
  // Block 0 is the plain transitions, which are always kept.
  const has = withWeights(weights.edges.view, matrixSize, 1, edgeRows - 1);
  const blocks = edgeIndex.prune(has).map(row => row + 1);
  // Cleared because a weight may be a negative zero.
  parameters.clear(rows, blocks);
  optimizer.forget?.(rows, blocks);
}

/**
 * Returns whether each of `count` parts of a table, starting with part `first`, has a nonzero
 * number.
 */
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
