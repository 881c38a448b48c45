import type { PackedRows } from '../../core/minibatch/join-rows.js';

/** Rows of the features of tokens, and those of candidates of segments after them. */
export function joinedRows(tokens: PackedRows, candidates: PackedRows): PackedRows {
  const length = tokens.starts.length - 1;
  const starts = new Uint32Array(length + candidates.starts.length);
  starts.set(tokens.starts);
  const count = tokens.rows.length;
  for (let c = 1; c < candidates.starts.length; c += 1) {
    starts[length + c] = count + candidates.starts[c]!;
  }
  const rows = new Uint32Array(count + candidates.rows.length);
  rows.set(tokens.rows);
  rows.set(candidates.rows, count);
  if (tokens.values === undefined) return { starts, rows };
  const values = new Float64Array(rows.length).fill(1);
  values.set(tokens.values);
  return { starts, rows, values };
}
