import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Span } from '../../core/sentence/sentence.js';
import { endsChunk, startsChunk, typeOf } from './chunk-boundaries.js';

/**
 * Returns the spans that a sequence of tags marks, by the rules of conlleval (see `startsChunk`),
 * in order and without overlap. Reads every `TagScheme`, because no two of them use the same letter
 * differently, and also tags that violate their scheme.
 *
 * The label of a span is the type of its tags; it is empty for tags without a type. Takes one pass
 * and allocates only the spans.
 *
 * @example
 * spansOf(['B-NP', 'I-NP', 'O', 'I-VP']) // => [{ label: 'NP', start: 0, end: 2 }, { label: 'VP', start: 3, end: 4 }]
 */
export function spansOf(tags: readonly string[]): Span[] {
  requireArgument('spansOf: the tags', tags, kinds.list);
  const spans: Span[] = [];
  let start = -1;
  let previous = 'O';
  for (let t = 0; t < tags.length; t += 1) {
    const tag = tags[t];
    const starts = startsChunk(previous, tag);
    // An unexpected prefix can start a span inside another one, which then ends.
    if (start >= 0 && (starts || endsChunk(previous, tag))) {
      spans.push({ label: typeOf(tags[start]), start, end: t });
      start = -1;
    }
    if (starts) start = t;
    previous = tag;
  }
  if (start >= 0) spans.push({ label: typeOf(tags[start]), start, end: tags.length });
  return spans;
}

/**
 * Meaning of each label pair for spans, by the rules of `spansOf`, as lookup tables for counting
 * spans over many label sequences.
 */
export interface SpanPairs {
  /** `[from * L + to]`: 1 if a span starts at `to`. */
  readonly starts: Uint8Array;
  /** `[to]`: 1 if a span starts with `to` at the first token. */
  readonly startsFirst: Uint8Array;
  /** `[from * L + to]`: 1 if the span that contains `from` continues at `to`. */
  readonly continues: Uint8Array;
  /** Type of each label. */
  readonly types: readonly string[];
}

/**
 * Builds the tables for some labels. Cost O(L^2).
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

/**
 * Returns the spans marked by a sequence of label numbers: those that `spansOf` finds in the label
 * names. Takes one pass and allocates only the spans.
 *
 * @example
 * const pairs = {
 *   types: ['', 'X', 'X'],
 *   starts: Uint8Array.of(0, 1, 1, 0, 1, 0, 0, 1, 0),
 *   startsFirst: Uint8Array.of(0, 1, 1),
 *   continues: Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0, 1),
 * };
 * labelSpans(Int32Array.of(1, 2, 0), pairs) // => [{ label: 'X', start: 0, end: 2 }]
 */
export function labelSpans(
  labels: Int32Array,
  { types, starts, startsFirst, continues }: SpanPairs,
): Span[] {
  const spans: Span[] = [];
  const count = types.length;
  let start = -1;
  for (let t = 0; t < labels.length; t += 1) {
    const pair = t === 0 ? -1 : labels[t - 1]! * count + labels[t]!;
    if (start >= 0 && continues[pair] === 0) {
      spans.push({ label: types[labels[start]!]!, start, end: t });
      start = -1;
    }
    if ((t === 0 ? startsFirst[labels[0]!] : starts[pair]) === 1) start = t;
  }
  if (start >= 0) spans.push({ label: types[labels[start]!]!, start, end: labels.length });
  return spans;
}
