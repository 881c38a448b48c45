import { describe, expect, it } from 'vitest';
import { f1Score, matchScores, percent } from '../../../src/metrics/scores/match-counts.js';

describe('percentages', () => {
  it('are 0 where they are undefined', () => {
    expect(percent(0, 0)).toBe(0);
    expect(f1Score(0, 0)).toBe(0);
    expect(matchScores({ correct: 0, gold: 0, predicted: 0 })).toEqual({
      correct: 0,
      gold: 0,
      predicted: 0,
      precision: 0,
      recall: 0,
      f1: 0,
    });
  });

  it('follow from the counts', () => {
    const scores = matchScores({ correct: 3, gold: 4, predicted: 12 });
    expect([scores.precision, scores.recall]).toEqual([25, 75]);
    // 2 * 25 * 75 / 100, the same as 100 * 2 * 3 / (4 + 12).
    expect(scores.f1).toBe(37.5);
  });
});
