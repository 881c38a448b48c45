import type { EncodedSentence } from './encoded-sentence.js';

/** Rows of features in compressed rows by token. */
export interface PackedRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values?: Float64Array | undefined;
}

/** Joins the rows of sentences; those of a single one are not copied. */
export function packRows(
  sentences: readonly EncodedSentence[],
  tokens: number,
  rowsOf: (sentence: EncodedSentence) => PackedRows,
): PackedRows {
  const parts = sentences.map(rowsOf);
  if (parts.length === 1) {
    const { starts, rows, values } = parts[0]!;
    return { starts, rows, values };
  }
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
