import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characterTokenizer } from '../../src/engine/text/tokenizers/character-tokenizer.js';
import { regexTokenizer } from '../../src/engine/text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../src/engine/text/tokenizers/tokenizer.js';
import { treebankTokenizer } from '../../src/engine/text/tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../src/engine/text/tokenizers/whitespace-tokenizer.js';

interface Row {
  readonly name: string;
  readonly make: () => Tokenizer;
  /** Why text other than white space may lie between the tokens; absent where it may not. */
  readonly leavesOut?: string;
}

const rows: readonly Row[] = [
  { name: 'whitespaceTokenizer()', make: () => whitespaceTokenizer() },
  { name: 'regexTokenizer()', make: () => regexTokenizer() },
  {
    name: 'regexTokenizer(words only)',
    make: () => regexTokenizer({ pattern: String.raw`\p{L}+` }),
    leavesOut: 'the pattern says what a token is',
  },
  {
    name: 'regexTokenizer(with white space and empty matches)',
    make: () => regexTokenizer({ pattern: '[^,]*' }),
    leavesOut: 'the pattern says what a token is',
  },
  { name: 'treebankTokenizer()', make: () => treebankTokenizer() },
  { name: 'unicodeTokenizer()', make: () => unicodeTokenizer() },
  { name: 'unicodeTokenizer(ja)', make: () => unicodeTokenizer({ locale: 'ja' }) },
  { name: 'characterTokenizer()', make: () => characterTokenizer() },
  {
    name: 'characterTokenizer(code-point)',
    make: () => characterTokenizer({ unit: 'code-point' }),
  },
];

const pieces = [
  ...['a', 'B', 'é', 'e\u0301', '\u0308', 'ß', '7', '3.14', '٣', '日本語', 'می\u200cخواهم'],
  ...[' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u3000', '\ufeff', '\u2028', '\u200b', '\u0085'],
  ...['.', '...', ',', '!', "'", '’', '"', '-', '--', '(', ')', '@', '_', '\u00ad'],
  ...['😀', '👨\u200d👩\u200d👧', '👍🏽', '🇫🇷', '🇫', '❤\ufe0f', '𝒜', '\ud83d', '\ude00'],
  ...["don't", "CAN'T", "it's", 'U.S.', 'Mr.', 'http://a.b/c', 'x@y.org', '1st', 'No.'],
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const settings = { seed: 1, numRuns: 500 };

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

describe.each(rows)('the tokenizer $name', ({ make, leavesOut }) => {
  const tokenize = make();

  it('gives ranges that are in order, apart, not empty, and inside the text', () => {
    fc.assert(
      fc.property(texts, text => {
        let end = 0;
        for (const range of tokenize(text)) {
          expect(range).toHaveLength(2);
          expect(range[0]).toBeGreaterThanOrEqual(end);
          expect(range[1]).toBeGreaterThan(range[0]);
          end = range[1];
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
      settings,
    );
  });

  it('has no white space at the ends of a token', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(texts, text => {
        for (const [start, end] of tokenize(text)) {
          expect(text.slice(start, end)).not.toMatch(/^\s|\s$/);
        }
      }),
      settings,
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(texts, text => {
        for (const at of tokenize(text).flat()) {
          const split = isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
          expect([at, split]).toEqual([at, false]);
        }
      }),
      settings,
    );
  });

  it('gives back the text when tokens and gaps are put together', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(texts, text => {
        let together = '';
        let at = 0;
        for (const [start, end] of tokenize(text)) {
          const gap = text.slice(at, start);
          if (leavesOut === undefined) expect(gap).toMatch(/^\s*$/);
          together += gap + text.slice(start, end);
          at = end;
        }
        if (leavesOut === undefined) expect(text.slice(at)).toMatch(/^\s*$/);
        expect(together + text.slice(at)).toBe(text);
      }),
      settings,
    );
  });

  it('gives the same tokens each time, from the same and from a fresh tokenizer', () => {
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        const once = tokenize(text);
        tokenize(other);
        expect(tokenize(text)).toEqual(once);
        expect(make()(text)).toEqual(once);
      }),
      { ...settings, numRuns: 100 },
    );
  });

  it('finds no token in nothing and in white space', { tags: 'slow' }, () => {
    expect(tokenize('')).toEqual([]);
    expect(tokenize(' \t\r\n\u00a0\u3000\ufeff')).toEqual([]);
  });
});
