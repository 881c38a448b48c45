import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Range, TextSpan } from '../../../../src/engine/core/sentence/document.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import { tagsOfSpans } from '../../../../src/engine/text/tags/tags-of-spans.js';

const text = 'Ann saw New-York today';
const offsets: Range[] = [
  [0, 3],
  [4, 7],
  [8, 16],
  [17, 22],
];
const span = (start: number, end: number, label = 'X'): TextSpan => ({ start, end, label });

describe('tagsOfSpans', () => {
  it('gives tags of which the spans can be read again', () => {
    const property = fc.property(fc.subarray([0, 1, 2, 3, 4], { minLength: 2 }), bounds => {
      const spans = bounds.slice(1).map((end, i) => {
        const [first, last] = [offsets[bounds[i]!]!, offsets[end - 1]!];
        return span(first[0], last[1], `L${i}`);
      });
      const { known, ranges } = tagsOfSpans(text, spans, offsets);
      expect(spansOf(known.tags!).map(({ start, end }) => [start, end])).toEqual(ranges);
      expect(ranges).toEqual(bounds.slice(1).map((end, i) => [bounds[i], end]));
    });
    fc.assert(property, { seed: 1, numRuns: 50 });
  });

  it('does not count white space at the ends, or a span that is there twice', () => {
    const { known } = tagsOfSpans(text, [span(3, 8), span(4, 7)], offsets);
    expect(known).toEqual({ tags: ['O', 'B-X', 'O', 'O'] });
  });

  it('rejects, widens or leaves open what is inside of a token', () => {
    const inside = [span(12, 16)];
    expect(() => tagsOfSpans(text, inside, offsets)).toThrow(
      'the span "York" (12 to 16) begins inside the token "New-York"',
    );
    expect(tagsOfSpans(text, inside, offsets, 'widen').known.tags).toEqual(['O', 'O', 'B-X', 'O']);
    expect(tagsOfSpans(text, inside, offsets, 'unknown').known).toEqual({
      partialTags: ['O', 'O', null, 'O'],
    });
    const two = [span(8, 11, 'A'), span(12, 16, 'B')];
    expect(() => tagsOfSpans(text, two, offsets, 'widen')).toThrow(/share the token "New-York"/);
    expect(tagsOfSpans(text, two, offsets, 'unknown').known.partialTags).toEqual([
      'O',
      'O',
      null,
      'O',
    ]);
  });

  it('refuses spans that overlap, and those without a token', () => {
    expect(() => tagsOfSpans(text, [span(0, 7), span(4, 16)], offsets)).toThrow(/overlap/);
    expect(() => tagsOfSpans(text, [span(0, 3, 'A'), span(0, 3, 'B')], offsets)).toThrow(/overlap/);
    expect(() =>
      tagsOfSpans(
        'a  b',
        [span(1, 2)],
        [
          [0, 1],
          [3, 4],
        ],
      ),
    ).toThrow(/contains no token/);
  });
});

describe('spans that overlap', () => {
  const tags = (
    spans: readonly TextSpan[],
    overlaps: 'longest' | 'first',
    misaligned?: 'widen',
  ) => {
    const { known, dropped } = tagsOfSpans(text, spans, offsets, misaligned, overlaps);
    return [known.tags, dropped];
  };

  it.each([
    ['longest', [span(0, 7, 'A'), span(4, 16, 'B')], ['O', 'B-B', 'I-B', 'O'], 1],
    ['first', [span(0, 7, 'A'), span(4, 16, 'B')], ['B-A', 'I-A', 'O', 'O'], 1],
    [
      'longest',
      [span(4, 7, 'A'), span(0, 16, 'B'), span(8, 16, 'C')],
      ['B-B', 'I-B', 'I-B', 'O'],
      2,
    ],
    ['first', [span(0, 3, 'A'), span(0, 7, 'B')], ['B-B', 'I-B', 'O', 'O'], 1],
    ['longest', [span(0, 3, 'A'), span(0, 3, 'B')], ['B-A', 'O', 'O', 'O'], 1],
    ['longest', [span(0, 3, 'A'), span(0, 3, 'A')], ['B-A', 'O', 'O', 'O'], 0],
    ['longest', [span(0, 3, 'A'), span(4, 7, 'B')], ['B-A', 'B-B', 'O', 'O'], 0],
  ] as const)('%s of %j', (overlaps, spans, expected, dropped) => {
    expect(tags(spans, overlaps)).toEqual([expected, dropped]);
  });

  it('share a token that they are widened to', () => {
    const spans = [span(8, 11, 'A'), span(12, 16, 'B')];
    expect(() => tagsOfSpans(text, spans, offsets, 'widen')).toThrow(
      'set overlaps to longest or first',
    );
    expect(tags(spans, 'longest', 'widen')).toEqual([['O', 'O', 'B-B', 'O'], 1]);
    expect(tags(spans, 'first', 'widen')).toEqual([['O', 'O', 'B-A', 'O'], 1]);
  });

  it('never do afterwards, whatever they were', () => {
    const any = fc.array(fc.tuple(fc.nat(21), fc.integer({ min: 1, max: 9 })), { maxLength: 12 });
    fc.assert(
      fc.property(any, fc.constantFrom('longest', 'first'), (places, overlaps) => {
        const spans = places
          .map(([start, length]) => span(start, Math.min(22, start + length)))
          .filter(({ start, end }) => text.slice(start, end).trim() !== '');
        const { ranges, dropped } = tagsOfSpans(text, spans, offsets, 'widen', overlaps);
        for (const [i, [start]] of ranges.entries())
          expect(ranges[i - 1]?.[1] ?? 0).toBeLessThanOrEqual(start);
        expect(ranges.length + dropped).toBeLessThanOrEqual(spans.length);
        expect(ranges.length > 0).toBe(spans.length > 0);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
