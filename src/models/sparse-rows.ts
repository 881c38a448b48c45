import type { Reals } from '../core/reals.js';
/** Rows of numbers with only those that are not zero, for a file. */
export interface SparseRows {
  /** Numbers of the rows that have any. */
  readonly rows: Uint32Array;
  /** For each of these rows a bit a label, low bits first. */
  readonly masks: Uint8Array;
  /** The numbers, row by row. */
  readonly values: Float32Array;
}

/** Takes the numbers of `count` rows of `labels` labels that are not zero. Cost O(count * labels). */
export function toSparseRows(
  table: Reals,
  count: number,
  labels: number,
  width: number,
): SparseRows {
  const maskBytes = Math.ceil(labels / 8);
  const rows: number[] = [];
  let valueCount = 0;
  for (let row = 0; row < count; row += 1) {
    let inRow = 0;
    for (let y = 0; y < labels; y += 1) if (table[row * width + y] !== 0) inRow += 1;
    if (inRow > 0) rows.push(row);
    valueCount += inRow;
  }
  const masks = new Uint8Array(rows.length * maskBytes);
  const values = new Float32Array(valueCount);
  let next = 0;
  for (const [i, row] of rows.entries()) {
    for (let y = 0; y < labels; y += 1) {
      const value = table[row * width + y]!;
      if (value === 0) continue;
      masks[i * maskBytes + (y >> 3)]! |= 1 << (y & 7);
      values[next] = value;
      next += 1;
    }
  }
  return { rows: Uint32Array.from(rows), masks, values };
}

/** Puts the numbers of the i-th sparse row into row `target(i)` of a table. */
export function fromSparseRows(
  sparse: Pick<SparseRows, 'masks' | 'values'>,
  labels: number,
  table: Reals,
  width: number,
  target: (i: number) => number,
): void {
  const maskBytes = Math.ceil(labels / 8);
  const count = maskBytes === 0 ? 0 : sparse.masks.length / maskBytes;
  let next = 0;
  for (let i = 0; i < count; i += 1) {
    const row = target(i) * width;
    for (let y = 0; y < labels; y += 1) {
      if ((sparse.masks[i * maskBytes + (y >> 3)]! & (1 << (y & 7))) === 0) continue;
      table[row + y] = sparse.values[next]!;
      next += 1;
    }
  }
}
