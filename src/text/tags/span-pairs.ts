import { endsChunk, startsChunk, typeOf } from './chunk-boundaries.js';

/**
 * What each pair of labels means for spans, by the rules of `spansOf`, as tables to be looked up where
 * spans are counted over many label sequences.
 */
export interface SpanPairs {
  /** `[from * L + to]`: 1 where a span starts at `to`. */
  readonly starts: Uint8Array;
  /** `[to]`: 1 where a span starts with `to` at the first token. */
  readonly startsFirst: Uint8Array;
  /** `[from * L + to]`: 1 where a span that `from` is in continues at `to`. */
  readonly continues: Uint8Array;
  /** Type of each label. */
  readonly types: readonly string[];
}

/**
 * The tables for some labels. Cost O(L^2).
 *
 * @example
 * const pairs = spanPairs(['O', 'B-X', 'I-X']);
 * Array.from(pairs.startsFirst) // => [0, 1, 1]
 * Array.from(pairs.continues.subarray(3, 6)) // => [0, 0, 1]
 */
export function spanPairs(labels: readonly string[]): SpanPairs {
  const count = labels.length;
  const starts = new Uint8Array(count * count);
  const continues = new Uint8Array(count * count);
  for (let from = 0; from < count; from += 1) {
    for (let to = 0; to < count; to += 1) {
      const begins = startsChunk(labels[from]!, labels[to]!);
      if (begins) starts[from * count + to] = 1;
      else if (!endsChunk(labels[from]!, labels[to]!)) continues[from * count + to] = 1;
    }
  }
  return {
    starts,
    startsFirst: Uint8Array.from(labels, label => (startsChunk('O', label) ? 1 : 0)),
    continues,
    types: labels.map(typeOf),
  };
}
