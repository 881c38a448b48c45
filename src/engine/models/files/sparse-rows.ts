import type { Reals } from '../../core/arrays.js';
/** Rows of numbers for a file, without zeros. */
export interface SparseRows {
  /** Numbers of the rows with nonzero numbers, and of the rows to be kept. */
  readonly rows: Uint32Array;
  /** One bit per label for each of these rows, low bits first. */
  readonly masks: Uint8Array;
  /** Nonzero numbers, row by row. */
  readonly values: Float32Array;
}

/**
 * Collects the nonzero numbers of `count` rows of `labels` labels. Cost O(count * labels).
 *
 * @param into receives the numbers; it may be the table, which is then overwritten
 * @param kept 1 for rows to keep even if they have only zeros
 */
export function toSparseRows(
  table: Reals,
  count: number,
  labels: number,
  width: number,
  into?: Float32Array,
  kept?: Uint8Array,
): SparseRows {
  const maskBytes = Math.ceil(labels / 8);
  const inRow = new Uint32Array(count);
  let rowCount = 0;
  let valueCount = 0;
  for (let row = 0; row < count; row += 1) {
    const start = row * width;
    let present = 0;
    for (let y = start; y < start + labels; y += 1) if (table[y] !== 0) present += 1;
    inRow[row] = present;
    if (present > 0 || kept?.[row] === 1) rowCount += 1;
    valueCount += present;
  }
  const rows = new Uint32Array(rowCount);
  const masks = new Uint8Array(rowCount * maskBytes);
  const values = into?.subarray(0, valueCount) ?? new Float32Array(valueCount);
  const whole = wholeMask(labels);
  let i = 0;
  let next = 0;
  for (let row = 0; row < count; row += 1) {
    if (inRow[row] === 0 && kept?.[row] !== 1) continue;
    rows[i] = row;
    if (inRow[row] === labels) {
      // This applies to all rows if no penalty produces zeros.
      for (let b = 0; b < maskBytes; b += 1) masks[i * maskBytes + b] = whole[b]!;
      for (let y = row * width, end = y + labels; y < end; y += 1, next += 1)
        values[next] = table[y]!;
      i += 1;
      continue;
    }
    for (let y = 0; y < labels; y += 1) {
      const value = table[row * width + y]!;
      if (value === 0) continue;
      masks[i * maskBytes + (y >> 3)]! |= 1 << (y & 7);
      values[next] = value;
      next += 1;
    }
    i += 1;
  }
  return { rows, masks, values };
}

function wholeMask(labels: number): Uint8Array {
  const mask = new Uint8Array(Math.ceil(labels / 8));
  for (let y = 0; y < labels; y += 1) mask[y >> 3]! |= 1 << (y & 7);
  return mask;
}

/** Writes the numbers of the i-th sparse row to a table's row `target(i)`. */
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

/** Returns the rows in the order given by `order`, their row numbers. */
export function reorderedRows({ rows, masks, values }: SparseRows, order: Uint32Array): SparseRows {
  const maskBytes = rows.length === 0 ? 0 : masks.length / rows.length;
  const starts = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i += 1) {
    let bits = 0;
    for (let b = i * maskBytes; b < (i + 1) * maskBytes; b += 1) {
      for (let rest = masks[b]!; rest !== 0; rest &= rest - 1) bits += 1;
    }
    starts[i + 1] = starts[i]! + bits;
  }
  const ordered = {
    rows: rows.slice(),
    masks: new Uint8Array(masks.length),
    values: new Float32Array(values.length),
  };
  let next = 0;
  for (let i = 0; i < order.length; i += 1) {
    const from = order[i]!;
    ordered.rows[i] = rows[from]!;
    for (let b = 0; b < maskBytes; b += 1) {
      ordered.masks[i * maskBytes + b] = masks[from * maskBytes + b]!;
    }
    for (let k = starts[from]!; k < starts[from + 1]!; k += 1, next += 1) {
      ordered.values[next] = values[k]!;
    }
  }
  return ordered;
}
