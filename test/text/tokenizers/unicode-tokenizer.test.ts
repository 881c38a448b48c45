import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/core/errors.js';
import { unicodeTokenizer } from '../../../src/text/tokenizers/unicode-tokenizer.js';
import { tokenTexts } from './token-texts.js';

describe('unicodeTokenizer', () => {
  it('keeps words with inner apostrophes and numbers whole, and each mark by itself', () => {
    expect(tokenTexts(unicodeTokenizer(), "Don't pay 3.14, (really)!")).toEqual([
      "Don't",
      'pay',
      '3.14',
      ',',
      '(',
      'really',
      ')',
      '!',
    ]);
  });

  it('finds words where there are no spaces', () => {
    const tokens = tokenTexts(unicodeTokenizer({ locale: 'ja' }), '日本語の文章。');
    expect(tokens.join('')).toBe('日本語の文章。');
    expect(tokens.at(-1)).toBe('。');
    expect(tokens.length).toBeGreaterThan(2);
  });

  it('keeps an emoji of several code points whole', () => {
    expect(tokenTexts(unicodeTokenizer(), 'hi 👨\u200d👩\u200d👧 🇫🇷')).toEqual([
      'hi',
      '👨\u200d👩\u200d👧',
      '🇫🇷',
    ]);
  });

  it('takes only the mark where a mark combines with a space', () => {
    expect(unicodeTokenizer()('a \u0308b')).toEqual([
      [0, 1],
      [2, 3],
      [3, 4],
    ]);
  });

  it('refuses a locale that is no language tag, and names it', () => {
    expect(() => unicodeTokenizer({ locale: 'no_such' })).toThrow(TagstreamError);
    expect(() => unicodeTokenizer({ locale: 'no_such' })).toThrow(
      '`no_such` is not a valid locale',
    );
  });
});
