import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { segmentEnds, segmenter } from '../../../../src/engine/text/sentences/segmenter.js';
import { unicodeTokenizer } from '../../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { pushTrimmed } from '../../../../src/engine/text/white-space.js';
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

  it.each(['en', 'sv', 'ja'])('finds what the segmenter of the engine finds, in %s', locale => {
    const random = new Random(4);
    const ascii = ['a', 'Zb', '1', '23', '_', ':', ',', ';', '.', "'", '"', '-', ' ', ' ', '  '];
    const others = [
      '\n',
      '\r\n',
      '\t',
      '\u0001',
      '\u007f',
      'é',
      '日本',
      '\u0308',
      '😀',
      '\u00ad',
      '١',
    ];
    const words = segmenter('word', locale);
    const tokenizer = unicodeTokenizer({ locale });
    for (let round = 0; round < 5000; round += 1) {
      const oneIn = 2 + random.below(30);
      const text = Array.from({ length: random.below(25) }, () => {
        const pieces = random.below(oneIn) === 0 ? others : ascii;
        return pieces[random.below(pieces.length)]!;
      }).join('');
      const wanted: [number, number][] = [];
      let start = 0;
      for (const end of segmentEnds(text, words)) {
        pushTrimmed(wanted, text, start, end);
        start = end;
      }
      expect(tokenizer(text), JSON.stringify(text)).toEqual(wanted);
    }
  });

  it('stops where there are more tokens than are of use', () => {
    for (const text of ['a b c d e', 'é ü ö ä ß', 'a é b ü c ö d ä']) {
      expect(unicodeTokenizer()(text, 2)).toHaveLength(3);
    }
  });

  it('refuses a locale that is no language tag, and names it', () => {
    expect(() => unicodeTokenizer({ locale: 'no_such' })).toThrow(TagstreamError);
    expect(() => unicodeTokenizer({ locale: 'no_such' })).toThrow(
      '`no_such` is not a valid locale',
    );
  });
});
