import type { Span } from '../../core/sentence/span.js';
import type { SpanPairs } from './span-pairs.js';

/**
 * The spans that a sequence of labels marks, given by number: those that `spansOf` finds in their names. Costs one
 * pass, and nothing is allocated but the spans.
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
