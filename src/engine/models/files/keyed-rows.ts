import type { FeatureIndex } from '../../features/index/feature-index.js';
import { keyOrder } from '../../features/index/packed-keys.js';
import { canGrow } from '../../features/index/placed-index.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Model } from '../model.js';
import { splittingRows } from './added/tree-sections.js';
import { supportingRows } from './added/vector-sections.js';
import { rowsOfPairs, sparsePairs } from './compact/stored-pairs.js';
import { reorderedRows, type SparseRows, toSparseRows } from './sparse-rows.js';

/** Rows with weights, and their keys. */
export interface KeyedRows extends SparseRows {
  readonly keys: Uint32Array;
}

/**
 * Returns a model's nonzero state weights in file form, which for a compact file is the order of `keyOrder`.
 *
 * @param into receives the numbers; it may be the table of weights, which is then overwritten
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

/**
 * Returns the keys of rows (see `keysOf`) in the order of `keyOrder`, and the rows' indices in this order; none for a
 * hashed index.
 */
function keysInOrder(
  index: FeatureIndex,
  rows: Uint32Array,
): { readonly keys: Uint32Array; readonly order?: Uint32Array } {
  const keys = keysOf(index, rows);
  if (!canGrow(index)) return { keys };
  const order = keyOrder(keys);
  const ordered = new Uint32Array(keys.length);
  for (let i = 0; i < order.length; i += 1) {
    ordered[2 * i] = keys[2 * order[i]!]!;
    ordered[2 * i + 1] = keys[2 * order[i]! + 1]!;
  }
  return { keys: ordered, order };
}

/**
 * Returns the keys by which a reader finds the rows again: fingerprints, or row numbers of a hashed
 * index.
 */
function keysOf(index: FeatureIndex, rows: Uint32Array): Uint32Array {
  if (!canGrow(index)) return rows;
  const all = index.fingerprints();
  const keys = new Uint32Array(rows.length * 2);
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!;
    keys[i * 2] = all[row * 2]!;
    keys[i * 2 + 1] = all[row * 2 + 1]!;
  }
  return keys;
}

/** Returns the fingerprints of all features by row; undefined for a hashed index. */
export function fingerprintsOf(index: FeatureIndex): Uint32Array | undefined {
  return canGrow(index) ? index.fingerprints() : undefined;
}
