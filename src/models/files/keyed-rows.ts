import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Model } from '../model.js';
import { splittingRows } from './added/tree-sections.js';
import { supportingRows } from './added/vector-sections.js';
import { rowsOfPairs, sparsePairs } from './compact/stored-pairs.js';
import { keysInOrder, keysOf } from './feature-keys.js';
import { reorderedRows, type SparseRows, toSparseRows } from './sparse-rows.js';

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
  { labels, stateIndex }: Model,
  parameters: ParameterStore,
  { into, isCompact }: { into?: Float32Array | undefined; isCompact: boolean },
): KeyedRows {
  const keyed = isCompact ? keysInOrder : unordered;
  if (parameters.statePairs !== undefined) {
    const rows = rowsOfPairs(parameters);
    const { keys, order } = keyed(stateIndex, rows);
    const ordered = order?.map(i => rows[i]!) ?? rows;
    return { keys, ...sparsePairs(parameters, labels.columns, ordered) };
  }
  const sparse = toSparseRows(
    parameters.weights.state.view,
    parameters.stateRows,
    labels.columns,
    parameters.width,
    into,
    splittingRows(parameters) ?? supportingRows(parameters),
  );
  const { keys, order } = keyed(stateIndex, sparse.rows);
  return { keys, ...(order === undefined ? sparse : reorderedRows(sparse, order)) };
}

const unordered: typeof keysInOrder = (index, rows) => ({ keys: keysOf(index, rows) });
