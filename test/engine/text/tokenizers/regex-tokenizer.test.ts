import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { regexTokenizer } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { tokenTexts } from './token-texts.js';

/** A text, and its tokens with a bar between them. */
const texts: readonly (readonly [string, string])[] = [
  ["Don't you see it isn't so?", "Do|n't|you|see|it|is|n't|so|?"],
  ["can't won’t ain't", "ca|n't|wo|n’t|ai|n't"],
  ["DON'T SHOUT, IT'S LATE", "DO|N'T|SHOUT|,|IT|'S|LATE"],
  ["We're sure they'll say I'd've", "We|'re|sure|they|'ll|say|I|'d|'ve"],
  ["the dogs' bowl and Ann's", "the|dogs|'|bowl|and|Ann|'s"],
  ["O'Brien's rock'n'roll", "O'Brien|'s|rock'n'roll"],
  ["aujourd'hui l’eau", "aujourd'hui|l’eau"],
  ["'Stop', 'go'", "'|Stop|'|,|'|go|'"],
  ['a well-known state-of-the-art plan-', 'a|well-known|state-of-the-art|plan|-'],
  ['well -- yes --- no', 'well|--|yes|---|no'],
  ['so... what.. now.', 'so|...|what|..|now|.'],
  ['1,234.50 at 12:30 on 3/4/2021, 2-1', '1,234.50|at|12:30|on|3/4/2021|,|2-1'],
  ['the 1st, 22nd and 3rd; 4then', 'the|1st|,|22nd|and|3rd|;|4|then'],
  ['$5 50% -3 #1', '$|5|50|%|-|3|#|1'],
  ['He ran 5.', 'He|ran|5|.'],
  ['Mr. Fox met Dr. Low, Ms. Hart etc.', 'Mr.|Fox|met|Dr.|Low|,|Ms.|Hart|etc|.'],
  ['cups, etc., and more', 'cups|,|etc.|,|and|more'],
  ['No. 7 said: No. Never.', 'No.|7|said|:|No|.|Never|.'],
  ['in the U.S. at 5 p.m. (i.e. late)', 'in|the|U.S.|at|5|p.m.|(|i.e.|late|)'],
  [
    'See https://a.example/b?c=d, or (http://e.example/f).',
    'See|https://a.example/b?c=d|,|or|(|http://e.example/f|)|.',
  ],
  ['Mail ann.low+x@mail.example.org.', 'Mail|ann.low+x@mail.example.org|.'],
  ['@ann a@b', '@|ann|a|@|b'],
  ['snake_case x2 e\u0301te\u0301', 'snake_case|x2|e\u0301te\u0301'],
  ['Привет, мир! نص', 'Привет|,|мир|!|نص'],
  ['می\u200cخواهم so\u00adft', 'می\u200cخواهم|so\u00adft'],
  ['👨\u200d👩\u200d👧👍🏽 ❤\ufe0f🇫🇷🇩🇪', '👨\u200d👩\u200d👧|👍🏽|❤\ufe0f|🇫🇷|🇩🇪'],
  ['“So,” she said…', '“|So|,|”|she|said|…'],
  ['See www.foo.com, or WWW.a.example/b?c.', 'See|www.foo.com|,|or|WWW.a.example/b?c|.'],
  ['#NLProc is #1, c#d', '#NLProc|is|#|1|,|c|#|d'],
  ['a Ph.D. and Ed.D. at', 'a|Ph.D.|and|Ed.D.|at'],
  ['1\ufe0f\u20e3#\u20e3 2', '1\ufe0f\u20e3|#\u20e3|2'],
  [
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}🇫🇷',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}|🇫🇷',
  ],
  ['a\u200b\u200bb', 'a|\u200b|\u200b|b'],
];

describe('regexTokenizer', () => {
  it.each([
    ['fr', "L'homme qu’il voit aujourd'hui", "L'|homme|qu’|il|voit|aujourd'hui"],
    ['fr-CA', "Jusqu'ici d'eau", "Jusqu'|ici|d'|eau"],
    ['it', "dell'acqua, D'Alema c'è", "dell'|acqua|,|D'Alema|c'|è"],
    ['ca', "l'home d'aigua", "l'|home|d'|aigua"],
    ['en', "l'homme", "l'homme"],
  ])('elision in %s: %s', (locale, text, expected) => {
    expect(tokenTexts(regexTokenizer({ locale }), text)).toEqual(expected.split('|'));
  });

  it('refuses what is no language tag', () => {
    expect(() => regexTokenizer({ locale: 'fr_FR' })).toThrow('write fr-FR');
  });

  it.each(texts)('%j', (text, expected) => {
    expect(tokenTexts(regexTokenizer(), text)).toEqual(expected.split('|'));
  });

  it('takes the matches of a given pattern, code point by code point', () => {
    expect(tokenTexts(regexTokenizer({ pattern: '[A-Z][a-z]*|.' }), 'AbC😀d')).toEqual([
      'Ab',
      'C',
      '😀',
      'd',
    ]);
  });

  it('leaves out what does not match, and empty matches', () => {
    expect(regexTokenizer({ pattern: '[a-z]*' })('ab12c')).toEqual([
      [0, 2],
      [4, 5],
    ]);
  });

  it('leaves out white space at the ends of a match', () => {
    expect(regexTokenizer({ pattern: '[^,]+' })(' a b , ,c')).toEqual([
      [1, 4],
      [8, 9],
    ]);
  });

  it.each([
    ['an empty pattern', '', 'the token pattern is empty'],
    ['an open bracket', '[a', 'the token pattern is not valid'],
    ['an escape that the flag u forbids', '\\-', 'the token pattern is not valid'],
  ])('refuses %s', (_, pattern, problem) => {
    expect(() => regexTokenizer({ pattern })).toThrow(TagstreamError);
    expect(() => regexTokenizer({ pattern })).toThrow(problem);
  });

  // In quadratic time each of these would take longer than the test run's patience.
  it.each([
    ['one letter', 'a', 1],
    ['letters and marks', 'e\u0301', 1],
    ['plus and minus', '+-', 200_000],
    ['dots between signs', '+.', 200_000],
    ['letters and dots', 'a.', 1],
    ['digits and dots', '1.', 2],
    ['apostrophes', "'", 200_000],
    ['n and apostrophes', "n'", 2],
    ['at signs', 'a@', 200_000],
    ['hyphenated words', 'a-', 2],
    ['web addresses of nothing', 'http://!', 2],
    ['joined emoji', '❤\u200d', 2],
  ])('reads a long run of %s in one pass', (_, piece, count) => {
    const text = piece.repeat(200_000 / piece.length);
    const ranges = regexTokenizer()(text);
    expect(ranges.length).toBe(count);
    expect(ranges.at(-1)?.[1]).toBe(text.length);
  });
});

describe('regexTokenizer of ASCII text', () => {
  const parts = [
    'a',
    'D',
    "'",
    't',
    'n',
    'll',
    'st',
    '.',
    '...',
    '-',
    '--',
    ' ',
    '\n',
    '1',
    ',',
    '@',
    '#',
    '_',
    'www.',
  ];
  const more = ['http://', 'Mr.', 'No.', 'Ph.D.', 'U.', '?', ')', '\0', '~', 'qu', 'all'];

  it.each(['en', 'fr', 'it', 'ca'])('finds the tokens of the pattern for any text, %s', locale => {
    const tokenize = regexTokenizer({ locale });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...more), { maxLength: 12 }), given => {
        const text = `${given.join('')} `;
        const inOther = tokenize(`${text}\u3000\u00e9`);
        expect(tokenize(text)).toEqual(inOther.slice(0, -1));
      }),
      { numRuns: 500 },
    );
  });
});
