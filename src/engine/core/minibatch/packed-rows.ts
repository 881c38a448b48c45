import type { EncodedSentence } from './encoded-sentence.js';

/** Feature rows in compressed form by token. */
export interface PackedRows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values?: Float64Array | undefined;
}

/**
 * Concatenates rows into new arrays, with values if any of the parts has values.
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

/** Returns the rows of a sentence's state features. */
export function stateRowsOf({ stateStarts, stateRows, stateValues }: EncodedSentence): PackedRows {
  return { starts: stateStarts, rows: stateRows, values: stateValues };
}

/** Returns the rows of the tokens' state features, without those of segment candidates. */
export function tokenRowsOf(sentence: EncodedSentence): PackedRows {
  const { length, candidates, stateStarts, stateRows, stateValues } = sentence;
  if (candidates === undefined) return stateRowsOf(sentence);
  const count = stateStarts[length]!;
  return {
    starts: stateStarts.subarray(0, length + 1),
    rows: stateRows.subarray(0, count),
    values: stateValues?.subarray(0, count),
  };
}

/**
 * Returns the rows of a sentence's transition features, without those of links; empty if it has
 * none.
 */
export function edgeRowsOf({
  length,
  edgeStarts = new Uint32Array(length + 1),
  edgeRows = new Uint32Array(0),
  edgeValues,
}: EncodedSentence): PackedRows {
  if (edgeStarts.length === length + 1) {
    return { starts: edgeStarts, rows: edgeRows, values: edgeValues };
  }
  const count = edgeStarts[length]!;
  return {
    starts: edgeStarts.subarray(0, length + 1),
    rows: edgeRows.subarray(0, count),
    values: edgeValues?.subarray(0, count),
  };
}

/**
 * Returns the labels allowed for each token as rows; empty unless the sentence is partially
 * labelled.
 */
export function allowedRowsOf({ length, allowed }: EncodedSentence): PackedRows {
  return {
    starts: allowed?.starts ?? new Uint32Array(length + 1),
    rows: allowed?.labels ?? new Uint32Array(0),
  };
}
