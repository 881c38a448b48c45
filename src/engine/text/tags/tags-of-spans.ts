import { TagstreamError } from '../../core/errors.js';
import type { Misaligned, Overlaps, Range, TextSpan } from '../../core/sentence/document.js';
import { type KnownTags, knownTags, type PartialTag } from '../../core/sentence/partial-tag.js';

/** Tags that the spans of a text give to its tokens. */
export interface TagsOfSpans {
  readonly known: KnownTags;
  /** Token range of each span, in order. */
  readonly ranges: readonly Range[];
  /** Number of spans omitted because they overlap others. */
  readonly dropped: number;
}

/**
 * Converts the spans of a text to gold tags in BIO. White space at the ends of a span is ignored, and so are duplicate spans.
 * Cost O(tokens + spans log spans).
 *
 * @param offsets token offsets, in order
 * @throws TagstreamError `wrong-shape` if a span contains no token, or if spans overlap or do not
 * align with tokens unless `overlaps` and `misaligned` allow it
 * @example
 * const offsets = [[0, 3], [4, 12], [12, 13]];
 * const spans = [{ start: 4, end: 12, label: 'LOC' }];
 * tagsOfSpans('Ben New York.', spans, offsets).known // => ({ tags: ['O', 'B-LOC', 'O'] })
 * tagsOfSpans('Ben New York.', [{ start: 4, end: 7, label: 'X' }], offsets, 'unknown').known // => ({ partialTags: ['O', null, 'O'] })
 */
export function tagsOfSpans(
  text: string,
  spans: readonly TextSpan[],
  offsets: readonly Range[],
  misaligned: Misaligned = 'reject',
  overlaps: Overlaps = 'reject',
): TagsOfSpans {
  const tags: PartialTag[] = offsets.map(() => 'O');
  const ranges: Range[] = [];
  const isSame = (a: TextSpan | undefined, b: TextSpan) =>
    a !== undefined && inOrder(a, b) === 0 && a.label === b.label;
  const all = spans
    .map(span => trimmed(text, span))
    .sort(inOrder)
    .filter((span, i, list) => !isSame(list[i - 1], span));
  const ordered = overlaps === 'reject' ? all : withoutOverlaps(all, offsets, overlaps);
  let before: TextSpan | undefined;
  let next = 0;
  for (const span of ordered) {
    if (before !== undefined && span.start < before.end) throw overlapping(text, before, span);
    before = span;
    while (next < offsets.length && offsets[next]![1] <= span.start) next += 1;
    let end = next;
    while (end < offsets.length && offsets[end]![0] < span.end) end += 1;
    if (end === next) throw withoutToken(text, span);
    const isAligned = offsets[next]![0] === span.start && offsets[end - 1]![1] === span.end;
    if (!isAligned && misaligned === 'reject') throw notAligned(text, span, offsets, next, end);
    const isUnknown = !isAligned && misaligned === 'unknown';
    const last = ranges.at(-1);
    if (last !== undefined && last[1] > next) {
      if (!isUnknown && tags[next] !== null) throw sharedToken(text, span, offsets[next]!);
    }
    for (let t = next; t < end; t += 1) {
      if (isUnknown || tags[t] === null) tags[t] = null;
      else tags[t] = `${t === next ? 'B' : 'I'}-${span.label}`;
    }
    ranges.push([next, end]);
  }
  return { known: knownTags(tags), ranges, dropped: all.length - ordered.length };
}

/**
 * Returns the spans in order without those that share text or a token with a span of higher priority.
 *
 * @param offsets token offsets, in order; without them, spans may share tokens
 * @example
 * const spans = [{ start: 0, end: 3, label: 'A' }, { start: 2, end: 9, label: 'B' }, { start: 9, end: 11, label: 'C' }];
 * withoutOverlaps(spans, [], 'longest').map(({ label }) => label) // => ['B', 'C']
 * withoutOverlaps(spans, [], 'first').map(({ label }) => label) // => ['A', 'C']
 * withoutOverlaps(spans, [[0, 3], [4, 10], [10, 11]], 'longest').map(({ label }) => label) // => ['B']
 */
export function withoutOverlaps(
  spans: readonly TextSpan[],
  offsets: readonly Range[],
  overlaps: Exclude<Overlaps, 'reject'>,
): readonly TextSpan[] {
  const fromStart = (a: TextSpan, b: TextSpan) => a.start - b.start || b.end - a.end;
  const placed = spans.toSorted(fromStart).map(span => ({ span, range: wideRange(span, offsets) }));
  const length = ({ span }: { readonly span: TextSpan }) => span.end - span.start;
  const byChoice = overlaps === 'first' ? placed : placed.toSorted((a, b) => length(b) - length(a));
  // Kept spans in text order, so that only neighbours can overlap.
  const kept: (typeof placed)[number][] = [];
  for (const one of byChoice) {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle]!.range[0] < one.range[0]) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [kept[low - 1], kept[low]];
    if (before !== undefined && before.range[1] > one.range[0]) continue;
    if (after !== undefined && after.range[0] < one.range[1]) continue;
    kept.splice(low, 0, one);
  }
  return kept.map(({ span }) => span);
}

/** Returns the range of a span, extended to the tokens that it touches. */
function wideRange({ start, end }: TextSpan, offsets: readonly Range[]): Range {
  const at = (offset: number, isEnd: boolean) => {
    let [low, high] = [0, offsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (offsets[middle]![1] <= offset) low = middle + 1;
      else high = middle;
    }
    const token = offsets[low];
    return token === undefined || token[0] >= offset || token[1] <= offset
      ? offset
      : token[isEnd ? 1 : 0];
  };
  return [at(start, false), at(end, true)];
}

function trimmed(text: string, span: TextSpan): TextSpan {
  let { start, end } = span;
  while (start < end && isSpace(text, start)) start += 1;
  while (end > start && isSpace(text, end - 1)) end -= 1;
  return start === end ? span : { start, end, label: span.label };
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}

function inOrder(a: TextSpan, b: TextSpan): number {
  return a.start - b.start || a.end - b.end;
}

function shown(text: string, { start, end }: TextSpan): string {
  const piece = text.slice(start, end);
  const short = piece.length > 40 ? `${piece.slice(0, 40)}...` : piece;
  return `${JSON.stringify(short)} (${start} to ${end})`;
}

function overlapping(text: string, before: TextSpan, span: TextSpan): TagstreamError {
  return new TagstreamError(
    'wrong-shape',
    `the spans ${shown(text, before)} and ${shown(text, span)} overlap`,
    {
      fix: 'keep one of them (a token has one tag), or set overlaps to longest or first in the source',
    },
  );
}

function sharedToken(text: string, span: TextSpan, [start, end]: Range): TagstreamError {
  const token = JSON.stringify(text.slice(start, end).slice(0, 40));
  return new TagstreamError(
    'wrong-shape',
    `the span ${shown(text, span)} and the one before it share the token ${token}`,
    {
      fix: 'keep one of them, use a tokenizer that splits the token, or set overlaps to longest or first in the source',
    },
  );
}

function withoutToken(text: string, span: TextSpan): TagstreamError {
  return new TagstreamError('wrong-shape', `the span ${shown(text, span)} contains no token`, {
    fix: 'remove it',
  });
}

function notAligned(
  text: string,
  span: TextSpan,
  offsets: readonly Range[],
  first: number,
  end: number,
): TagstreamError {
  const atStart = offsets[first]![0] !== span.start;
  const [from, to] = offsets[atStart ? first : end - 1]!;
  const token = JSON.stringify(text.slice(from, to).slice(0, 40));
  return new TagstreamError(
    'wrong-shape',
    `the span ${shown(text, span)} ${atStart ? 'begins' : 'ends'} inside the token ${token}`,
    {
      fix: 'correct it, use another tokenizer, or set misaligned to widen or unknown in the source',
    },
  );
}
