import { describe, expect, it } from 'vitest';
import { segmenter } from '../../../../src/engine/text/sentences/segmenter.js';

describe('segmenter', () => {
  it('is made once for a granularity and a locale', () => {
    expect(segmenter('word', 'de')).toBe(segmenter('word', 'de'));
    expect(segmenter('word', 'de')).not.toBe(segmenter('sentence', 'de'));
    expect(segmenter('word', 'de')).not.toBe(segmenter('word', 'fr'));
  });

  it('does not take the locale of the machine', () => {
    expect(segmenter('word').resolvedOptions()).toEqual({ locale: 'en', granularity: 'word' });
  });
});
