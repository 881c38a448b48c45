import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentEnds, segmenter } from '../../../../src/engine/text/sentences/segmenter.js';

const granularities = ['grapheme', 'word', 'sentence'] as const;

describe.each(granularities)('segmentEnds by %s', granularity => {
  const segments = segmenter(granularity);
  const pieces = [
    ...[
      'a',
      'word',
      'Word',
      'e\u0301',
      '\u0308',
      '3.14',
      "can't",
      'a.b',
      '1,2',
      '_',
      '\u0300\u0301',
    ],
    ...[' ', '  ', '\n', '\r\n', '\u3000', '\u200d', '.', '. ', '! ', '?”', '... ', '(', ') '],
    ...['😀', '👨\u200d👩\u200d👧', '👍🏽', '🇫🇷', '🇫', '\ud83d', 'नमस्ते', '한국', 'ท'],
  ];
  const longTexts = fc
    .array(fc.constantFrom(...pieces), { minLength: 900, maxLength: 2500 })
    .map(parts => parts.join(''));

  it('are those of the whole text, however many windows it takes', () => {
    fc.assert(
      fc.property(longTexts, text => {
        expect(segmentEnds(text, segments)).toEqual(
          Array.from(segments.segment(text), ({ index, segment }) => index + segment.length),
        );
      }),
      { seed: 7, numRuns: 15 },
    );
  });

  it('are none for no text', () => {
    expect(segmentEnds('', segments)).toEqual([]);
  });
});

describe('segmentEnds of long text', () => {
  it('finds a segment that is longer than a window', () => {
    const text = `${'a'.repeat(10_000)} bc`;
    expect(segmentEnds(text, segmenter('word'))).toEqual([10_000, 10_001, 10_003]);
    const sentences = `${'and so on '.repeat(2_000)}to the end. Then one. Then two.`;
    expect(segmentEnds(sentences, segmenter('sentence'))).toEqual([20_012, 20_022, 20_031]);
  });

  // In quadratic time this would take minutes.
  it('takes time in proportion to the text', () => {
    expect(segmentEnds('ab '.repeat(100_000), segmenter('word'))).toHaveLength(200_000);
  });
});
