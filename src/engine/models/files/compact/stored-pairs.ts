import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { SparseRows } from '../sparse-rows.js';

/** Rows of weights as pairs, row by row, labels ascending. */
export interface WeightPairs {
  /** `[rows + 1]` offset of each row's pairs. */
  readonly starts: Uint32Array;
  readonly labels: Uint16Array;
  readonly values: Float32Array;
}

/** Returns the rows with a weight in a store of single pairs, ascending. Cost O(pairs). */
export function rowsOfPairs({ weights, statePairs, stateRows }: ParameterStore): Uint32Array {
  const { starts } = statePairs!;
  const table = weights.state.view;
  const rows = new Uint32Array(stateRows);
  let count = 0;
  for (let row = 0; row < stateRows; row += 1) {
    let i = starts[row]!;
    while (i < starts[row + 1]! && table[i] === 0) i += 1;
    if (i < starts[row + 1]!) rows[count++] = row;
  }
  return rows.slice(0, count);
}

/**
 * Returns the nonzero weights of such a store, like `toSparseRows` for full rows. With many labels, the masks
 * dominate, so rows are reordered beforehand. Cost O(pairs + rows * labels / 8).
 *
 * @param rows all rows with a weight, in the desired order
 */
export function sparsePairs(
  { weights, statePairs }: ParameterStore,
  labelCount: number,
  rows: Uint32Array,
): SparseRows {
  const { starts, labels } = statePairs!;
  const table = weights.state.view;
  const maskBytes = Math.ceil(labelCount / 8);
  let valueCount = 0;
  for (let i = 0; i < starts.at(-1)!; i += 1) if (table[i] !== 0) valueCount += 1;
  const masks = new Uint8Array(rows.length * maskBytes);
  const values = new Float32Array(valueCount);
  let next = 0;
  for (let n = 0; n < rows.length; n += 1) {
    const row = rows[n]!;
    for (let i = starts[row]!; i < starts[row + 1]!; i += 1) {
      if (table[i] === 0) continue;
      masks[n * maskBytes + (labels[i]! >> 3)]! |= 1 << (labels[i]! & 7);
      values[next] = table[i]!;
      next += 1;
    }
  }
  return { rows, masks, values };
}

/**
 * Returns the pairs of a file's rows.
 *
 * @param target the row of the i-th sparse row, ascending
 */
export function pairsOfMasks(
  { masks, values }: Pick<SparseRows, 'masks' | 'values'>,
  labelCount: number,
  rows: number,
  target: (i: number) => number,
): WeightPairs {
  const maskBytes = Math.ceil(labelCount / 8);
  const count = maskBytes === 0 ? 0 : masks.length / maskBytes;
  const starts = new Uint32Array(rows + 1);
  const labels = new Uint16Array(values.length);
  let next = 0;
  let row = 0;
  for (let i = 0; i < count; i += 1) {
    for (const own = target(i); row <= own; row += 1) starts[row] = next;
    for (let b = 0; b < maskBytes; b += 1) {
      for (let bits = masks[i * maskBytes + b]!; bits !== 0; bits &= bits - 1) {
        labels[next] = 8 * b + 31 - Math.clz32(bits & -bits);
        next += 1;
      }
    }
  }
  starts.fill(next, row);
  return { starts, labels, values };
}

/** Replaces the pairs of a store of single pairs by those of a file, with their weights. */
export function placePairs(store: ParameterStore, { starts, labels, values }: WeightPairs): void {
  store.statePairs!.restore(starts, labels);
  store.closePairs();
  store.weights.state.view.set(values);
}
