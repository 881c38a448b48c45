/** Rows of features in compressed rows by token. */
export interface PackedRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values?: Float64Array | undefined;
}

/**
 * Rows one after the other, in arrays of their own; values are there if any part has some.
 *
 * @example
 * const part = { starts: Uint32Array.of(0, 2), rows: Uint32Array.of(5, 7) };
 * joinRows([part, part]).starts // => Uint32Array.of(0, 2, 4)
 */
export function joinRows(parts: readonly PackedRows[]): PackedRows {
  const tokens = parts.reduce((sum, part) => sum + part.starts.length - 1, 0);
  const count = parts.reduce((sum, part) => sum + part.rows.length, 0);
  const starts = new Uint32Array(tokens + 1);
  const rows = new Uint32Array(count);
  const hasValues = parts.some(part => part.values !== undefined);
  const values = hasValues ? new Float64Array(count).fill(1) : undefined;
  let token = 0;
  let next = 0;
  for (const part of parts) {
    for (let t = 1; t < part.starts.length; t += 1) {
      token += 1;
      starts[token] = next + part.starts[t]!;
    }
    rows.set(part.rows, next);
    if (part.values !== undefined) values!.set(part.values, next);
    next += part.rows.length;
  }
  return { starts, rows, values };
}
