import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Model } from '../model.js';
import { splittingRows } from './added/tree-sections.js';
import { supportingRows } from './added/vector-sections.js';
import { rowsOfPairs, sparsePairs } from './compact/stored-pairs.js';
import { inKeyOrder, keysOf, rowsInKeyOrder } from './feature-keys.js';
import { type SparseRows, toSparseRows } from './sparse-rows.js';

/** Rows that have weights, with their keys, and these weights. */
export interface KeyedRows extends SparseRows {
  readonly keys: Uint32Array;
}

/**
 * The state weights of a model that are not zero, as a file has them: those of a compact one in the order of `keyOrder`.
 *
 * @param into where the numbers go; it may be the table of weights, which is then used up
 */
export function keyedRows(
  model: Model,
  parameters: ParameterStore,
  { into, isCompact }: { into?: Float32Array | undefined; isCompact: boolean },
): KeyedRows {
  if (parameters.statePairs !== undefined) return keyedPairs(model, parameters, isCompact);
  const { labels, stateIndex } = model;
  const sparse = toSparseRows(
    parameters.weights.state.view,
    parameters.stateRows,
    labels.columns,
    parameters.width,
    into,
    splittingRows(parameters) ?? supportingRows(parameters),
  );
  if (isCompact) return inKeyOrder(stateIndex, sparse);
  return { keys: keysOf(stateIndex, sparse.rows), ...sparse };
}

function keyedPairs(
  { labels, stateIndex }: Model,
  parameters: ParameterStore,
  isCompact: boolean,
): KeyedRows {
  const all = rowsOfPairs(parameters);
  const { keys, rows } = isCompact
    ? rowsInKeyOrder(stateIndex, all)
    : { keys: keysOf(stateIndex, all), rows: all };
  return { keys, ...sparsePairs(parameters, labels.columns, rows) };
}
