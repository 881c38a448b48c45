import { describe, expect, it } from 'vitest';
import { percent } from '../../../../src/engine/core/figures.js';
import { f1Score, matchScores } from '../../../../src/engine/metrics/scores/match-counts.js';

describe('percentages', () => {
  it('are null where they are undefined', () => {
    expect(percent(0, 0)).toBeNull();
    expect(f1Score({ correct: 0, gold: 0, predicted: 0 })).toBeNull();
    expect(f1Score({ correct: 0, gold: 0, predicted: 2 })).toBe(0);
    expect(matchScores({ correct: 0, gold: 0, predicted: 0 })).toEqual({
      correct: 0,
      gold: 0,
      predicted: 0,
      precision: null,
      recall: null,
      f1: null,
    });
  });

  it('follow from the counts', () => {
    const scores = matchScores({ correct: 3, gold: 4, predicted: 12 });
    expect([scores.precision, scores.recall]).toEqual([25, 75]);
    // 2 * 25 * 75 / 100, the same as 100 * 2 * 3 / (4 + 12).
    expect(scores.f1).toBe(37.5);
  });
});
