import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alignedWords,
  rawTextScores,
  type ScoredWord,
  universalPart,
} from '../../../../src/engine/metrics/scores/raw-text-scores.js';

const word = (start: number, end: number, form: string, isPart = false): ScoredWord => ({
  ...{ start, end, form, isPart },
  values: { upos: form.toUpperCase() },
});

/** All ways to align words of a region in order, the longest of which the shared task counts. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [x, ...restA] = a;
  const [y, ...restB] = b;
  const skipped = Math.max(longestCommon(restA, b), longestCommon(a, restB));
  return x === y ? Math.max(skipped, 1 + longestCommon(restA, restB)) : skipped;
}

describe('scores of raw text', () => {
  it('count pieces of the text by their places, and columns of the words that are aligned', () => {
    const gold = {
      tokens: [
        [0, 2],
        [2, 6],
        [6, 7],
      ],
      sentences: [[0, 7]],
      words: [word(0, 2, 'it'), word(2, 6, 'goes'), word(6, 7, '.')],
    } as const;
    const found = {
      tokens: [
        [0, 2],
        [2, 7],
      ],
      sentences: [
        [0, 2],
        [2, 7],
      ],
      words: [{ ...word(0, 2, 'it'), values: { upos: 'X' } }, word(2, 7, 'goes.')],
    } as const;
    const scores = rawTextScores(gold, found, ['upos']);
    expect(scores.tokens).toEqual({ precision: 1 / 2, recall: 1 / 3, f1: 2 / 5 });
    expect(scores.sentences!.f1).toBe(0);
    expect(scores.words!.f1).toBe(2 / 5);
    expect(scores.upos!.f1).toBe(0);
  });

  it('align words of a multiword token by the longest common subsequence of their forms', () => {
    const forms = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(forms, forms, (a, b) => {
        const pairs = alignedWords(
          a.map(form => word(0, 6, form, true)),
          b.map(form => word(0, 6, form.toUpperCase(), true)),
        );
        expect(pairs).toHaveLength(longestCommon(a, b));
        for (const [x, y] of pairs) expect(x.form).toBe(y.form.toLowerCase());
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('align what is around a multiword token that only one side has', () => {
    const gold = [word(0, 1, 'x'), word(1, 3, 'de', true), word(1, 3, 'le', true), word(3, 4, 'y')];
    const found = [word(0, 1, 'x'), word(1, 2, 'd'), word(2, 3, 'le'), word(3, 4, 'y')];
    expect(alignedWords(gold, found).map(([a, b]) => a.form + b.form)).toEqual([
      'xx',
      'lele',
      'yy',
    ]);
  });

  it('compare features that all languages have, in any order', () => {
    expect(universalPart('Typo=Yes|Number=Sing|Case=Nom')).toBe('Case=Nom|Number=Sing');
    expect(universalPart('_')).toBe('');
  });
});
