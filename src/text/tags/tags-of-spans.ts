import { TagstreamError } from '../../core/errors.js';
import type { Range } from '../../core/sentence/document.js';
import { type KnownTags, knownTags } from '../../core/sentence/known-tags.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import type { Misaligned, TextSpan } from '../../core/sentence/text-span.js';

/** What spans of a text say of its tokens. */
export interface TagsOfSpans {
  readonly known: KnownTags;
  /** Tokens of each span, in order. */
  readonly ranges: readonly Range[];
}

/**
 * Gold tags in BIO that spans of a text come to. White space at the ends of a span does not count, nor does a span that is
 * there twice. Cost O(tokens + spans log spans).
 *
 * @param offsets of the tokens, in order
 * @throws TagstreamError `wrong-shape` where spans overlap or hold no token, and where one does not end with tokens
 * unless `misaligned` allows it
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
): TagsOfSpans {
  const tags: PartialTag[] = offsets.map(() => 'O');
  const ranges: Range[] = [];
  const ordered = spans.map(span => trimmed(text, span)).sort(inOrder);
  let before: TextSpan | undefined;
  let next = 0;
  for (const span of ordered) {
    if (before !== undefined && inOrder(before, span) === 0 && before.label === span.label)
      continue;
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
  return { known: knownTags(tags), ranges };
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
    { fix: 'keep one of them: a token has one tag' },
  );
}

function sharedToken(text: string, span: TextSpan, [start, end]: Range): TagstreamError {
  const token = JSON.stringify(text.slice(start, end).slice(0, 40));
  return new TagstreamError(
    'wrong-shape',
    `the span ${shown(text, span)} and the one before it share the token ${token}`,
    { fix: 'keep one of them, or give a tokenizer that divides the token' },
  );
}

function withoutToken(text: string, span: TextSpan): TagstreamError {
  return new TagstreamError('wrong-shape', `the span ${shown(text, span)} holds no token`, {
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
    `the span ${shown(text, span)} ${atStart ? 'begins' : 'ends'} inside of the token ${token}`,
    {
      fix: 'correct it, use another tokenizer, or set misaligned to widen or unknown in the source',
    },
  );
}
