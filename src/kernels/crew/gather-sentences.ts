import type { Minibatch } from '../../core/minibatch.js';
import { unknownSentences } from './shared-minibatch.js';

/** Rows by token in compressed form, and their values. */
interface Rows {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly values: Float64Array | undefined;
}

/**
 * The minibatch of the sentences `numbers[from .. to)` of a larger one, packed as `packMinibatch` would.
 * Cost: copying their rows.
 */
export function gatherSentences(
  source: Minibatch,
  numbers: Int32Array,
  from: number,
  to: number,
): Minibatch {
  const count = to - from;
  const sentenceStarts = new Uint32Array(count + 1);
  const labelled = new Uint8Array(count);
  let tokens = 0;
  for (let s = 0; s < count; s += 1) {
    const number = numbers[from + s]!;
    tokens += source.sentenceStarts[number + 1]! - source.sentenceStarts[number]!;
    sentenceStarts[s + 1] = tokens;
    labelled[s] = source.labelled[number]!;
  }
  const gold = new Int32Array(tokens);
  for (let s = 0; s < count; s += 1) {
    const number = numbers[from + s]!;
    const first = source.sentenceStarts[number]!;
    gold.set(source.gold.subarray(first, source.sentenceStarts[number + 1]!), sentenceStarts[s]!);
  }
  const gather = (rows: Rows) => gatherRows(rows, source, numbers, from, to, tokens);
  const { stateStarts, stateRows, stateValues, edgeStarts, edgeRows, edgeValues } = source;
  const state = gather({ starts: stateStarts, rows: stateRows, values: stateValues });
  const edges =
    edgeStarts === undefined
      ? undefined
      : gather({ starts: edgeStarts, rows: edgeRows!, values: edgeValues });
  return {
    sentences: unknownSentences(count),
    ...{ tokens, sentenceStarts, labelled, gold },
    stateStarts: state.starts,
    stateRows: state.rows,
    ...(state.values === undefined ? {} : { stateValues: state.values }),
    ...(edges === undefined ? {} : { edgeStarts: edges.starts, edgeRows: edges.rows }),
    ...(edges?.values === undefined ? {} : { edgeValues: edges.values }),
  };
}

function gatherRows(
  source: Rows,
  { sentenceStarts }: Minibatch,
  numbers: Int32Array,
  from: number,
  to: number,
  tokens: number,
): Rows {
  let size = 0;
  for (let i = from; i < to; i += 1) {
    const number = numbers[i]!;
    size +=
      source.starts[sentenceStarts[number + 1]!]! - source.starts[sentenceStarts[number]!]!;
  }
  const starts = new Uint32Array(tokens + 1);
  const rows = new Uint32Array(size);
  const values = source.values === undefined ? undefined : new Float64Array(size);
  let token = 0;
  let row = 0;
  for (let i = from; i < to; i += 1) {
    const first = sentenceStarts[numbers[i]!]!;
    const end = sentenceStarts[numbers[i]! + 1]!;
    const begin = source.starts[first]!;
    for (let t = first + 1; t <= end; t += 1) {
      token += 1;
      starts[token] = row + source.starts[t]! - begin;
    }
    rows.set(source.rows.subarray(begin, source.starts[end]!), row);
    values?.set(source.values!.subarray(begin, source.starts[end]!), row);
    row += source.starts[end]! - begin;
  }
  return { starts, rows, values };
}
