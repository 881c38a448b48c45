import type { EncodedSentence } from './encoded-sentence.js';
import type { PackedRows } from './join-rows.js';

/** The rows of a sentence's state features. */
export function stateRowsOf({ stateStarts, stateRows, stateValues }: EncodedSentence): PackedRows {
  return { starts: stateStarts, rows: stateRows, values: stateValues };
}

/** The rows of its tokens' state features, without those of candidates of segments. */
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

/** The rows of a sentence's features of transitions, without those of links; no row at all where it has none. */
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

/** The labels that its tokens may have, as rows; no row at all where it is not labelled in part. */
export function allowedRowsOf({ length, allowed }: EncodedSentence): PackedRows {
  return {
    starts: allowed?.starts ?? new Uint32Array(length + 1),
    rows: allowed?.labels ?? new Uint32Array(0),
  };
}
