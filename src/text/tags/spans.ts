import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Span } from '../../core/sentence/span.js';
import { endsChunk, startsChunk, typeOf } from './chunk-boundaries.js';

/**
 * The spans that a sequence of tags marks, by the rules of conlleval (see `startsChunk`): in order,
 * without overlap, for every `TagScheme` alike, as no two of them mean different things by one letter; also where the tags
 * break their scheme.
 *
 * The label of a span is the type of its tags; it is empty for tags without one. Costs one pass, and
 * nothing is allocated but the spans.
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
    // Odd prefixes can start a span inside another one; the earlier one ends there.
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
