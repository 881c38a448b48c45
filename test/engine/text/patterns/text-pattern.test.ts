import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backtrackingSteps } from '../../../../src/engine/text/patterns/backtracking-steps.js';
import { LinearPattern } from '../../../../src/engine/text/patterns/linear-pattern.js';
import { parsePattern } from '../../../../src/engine/text/patterns/parse-pattern.js';
import {
  type TextPattern,
  textPattern,
} from '../../../../src/engine/text/patterns/text-pattern.js';
import { defaultTokenPattern } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { thrownBy } from '../../../cli/commands/thrown-by.js';
import { longForm } from '../../../faults/long-form.js';

const atoms = String.raw`a b . - \w \W \s \d \n \p{L} [^\p{L}] [^a] [ab] [\]a] é 😀 \x61 \u{1F600} \ud83d\ude00 \uD83D`;
const counts = '* + ? {2} {1,3} {0,2} {2,} {0} *? +? ?? {1,2}?';

const { source } = fc.letrec<{ source: string }>(tie => ({
  source: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom(...atoms.split(' ')) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B', '(?:)') },
    { weight: 4, arbitrary: fc.tuple(tie('source'), tie('source')).map(both => both.join('')) },
    {
      weight: 3,
      arbitrary: fc.tuple(tie('source'), tie('source')).map(([a, b]) => `(?:${a}|${b})`),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(tie('source'), fc.constantFrom(...counts.split(' ')))
        .map(([part, count]) => `(${part})${count}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!', '?<n>'), tie('source'))
        .filter(([kind, part]) => kind !== '?<n>' || !part.includes('?<n>'))
        .map(([kind, part]) => `(${kind}${part})`),
    },
  ),
}));
const text = fc
  .array(fc.constantFrom(...'aabb-1_A é\n', '😀', '\ud83d', '\ude00', 'u\u0308'), { maxLength: 14 })
  .map(parts => parts.join(''));

/** Nonempty matches; the engine of the language finds empty ones inside of a character too. */
function native(pattern: string, within: string): [number, number][] {
  return [...within.matchAll(new RegExp(pattern, 'gu'))]
    .map((match): [number, number] => [match.index, match.index + match[0].length])
    .filter(([start, end]) => end > start);
}

function rangesOf(pattern: Pick<TextPattern, 'visit'>, within: string): [number, number][] {
  const ranges: [number, number][] = [];
  pattern.visit(within, (start, end) => ranges.push([start, end]) > 0);
  return ranges;
}

function linear(pattern: string, within: string) {
  return rangesOf(new LinearPattern(pattern), within).filter(([start, end]) => end > start);
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== null;
  } catch {
    return false;
  }
}

describe('a pattern without backtracking', () => {
  it('matches what the expression of the language matches', () => {
    const property = fc.property(
      source.filter(isValid),
      fc.array(text, { maxLength: 8 }),
      (pattern, all) => {
        const found = new LinearPattern(pattern);
        const expression = new RegExp(pattern, 'u');
        for (const within of all) {
          expect(linear(pattern, within)).toEqual(native(pattern, within));
          const first = expression.exec(within);
          const isInside =
            first !== null && first.index > 0 && within.codePointAt(first.index - 1)! > 0xffff;
          if (isInside) continue;
          expect(found.match(within)).toBe(first?.[0]);
          expect(found.test(within)).toBe(first !== null);
        }
      },
    );
    fc.assert(property, { numRuns: longForm ? 200_000 : 500, seed: 16 });
  }, 3_600_000);

  it('finds the tokens of the built-in pattern, which looks ahead and behind', () => {
    const words =
      "Don't can't I'd've aujourd'hui x-y- https://a.example/b?c=d, a.b+c@d.example. U.S. No. 7 Mr. (1st, 3/4) 👨\u200d👩👍🏽🇫🇷 e\u0301 so\u00adft ... --";
    const within = Array.from(
      { length: 400 },
      (_, i) => words.slice(i % 90) + words.slice(0, i % 7),
    ).join(' ');
    expect(linear(defaultTokenPattern, within)).toEqual(native(defaultTokenPattern, within));
  });

  it.each(['[ab😀]+c?|c', '(?<=c)\\S|[^c]+|c(?!b)', '(?:a|b|😀){2,5}'])(
    'finds matches of any length in a long text: %s',
    pattern => {
      const within = Array.from({ length: 60_000 }, (_, i) =>
        i % 20_011 === 5 ? 'c' : i % 3 ? 'a' : '😀',
      ).join('');
      expect(linear(pattern, within)).toEqual(native(pattern, within));
    },
  );

  it('forgets states of which there are too many', () => {
    const pattern = 'a[ab]{13}b|[ab]';
    let state = 1;
    const letters = Array.from({ length: 60_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 1024 ? 'a' : 'b';
    });
    const within = letters.join('');
    expect(linear(pattern, within)).toEqual(native(pattern, within));
  });
});

describe('textPattern', () => {
  it('leaves to the engine of the language what takes few steps anywhere', () => {
    expect(rangesOf(textPattern('(.)\\1|[ab]{3}'), 'xxabaa')).toEqual([
      [0, 2],
      [2, 5],
    ]);
    expect(textPattern('^a').match('ab')).toBe('a');
    expect(textPattern('b$').test('ab')).toBe(true);
  });

  it.each([
    ['(a+)\\1', 'a backreference may take exponential time (write'],
    ['(?<n>a)*\\k<n>', 'a backreference may take exponential time (write'],
    ['\\p{L}{1,5000}', 'the pattern is too large: 5000 repetitions (use'],
    ['(?:\\p{L}{1,100}x){100}', 'the pattern is too large: more than 2000 states (use'],
    ['(?:(?:(?:){2000}){2000}){2000}|a+', 'the pattern is too large: more than 100000 parts (use'],
    [
      `${'(?:'.repeat(600)}a+${')'.repeat(600)}`,
      'the pattern has groups nested more than 500 deep (remove',
    ],
    [
      '\\b'.repeat(1) + Array.from({ length: 17 }, (_, i) => `(?=a+${i})`).join(''),
      'a pattern with 18 conditions (use',
    ],
  ])('refuses %.40s', (pattern, problem) => {
    const error = thrownBy(() => textPattern(pattern));
    expect(error).toMatchObject({ code: 'config' });
    expect(String(error)).toContain(problem);
  });
});

describe('backtrackingSteps', () => {
  it.each([
    ['[ab]|cd?', 6],
    ['(a)\\1', 2],
    ['(?:a|b){3}', 24],
    ['^a{0}', 1],
    ['a+', Number.POSITIVE_INFINITY],
    ['a(?=b*)', Number.POSITIVE_INFINITY],
  ])('of %s', (pattern, steps) => {
    expect(backtrackingSteps(parsePattern(pattern))).toBe(steps);
  });
});
