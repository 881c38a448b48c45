import type { EncodedSentence } from './encoded-sentence.js';
import { joinRows, type PackedRows } from './join-rows.js';

/** Joins the rows of sentences; those of a single one are not copied. */
export function packRows(
  sentences: readonly EncodedSentence[],
  rowsOf: (sentence: EncodedSentence) => PackedRows,
): PackedRows {
  const parts = sentences.map(rowsOf);
  if (parts.length !== 1) return joinRows(parts);
  const { starts, rows, values } = parts[0]!;
  return { starts, rows, values };
}
