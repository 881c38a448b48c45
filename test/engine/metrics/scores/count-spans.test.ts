import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import type { MatchCounts } from '../../../../src/engine/metrics/scores/match-counts.js';
import { countSpans } from '../../../../src/engine/metrics/scores/span-scores.js';

describe('countSpans', () => {
  it('adds to what was counted before', () => {
    const total = { correct: 5, gold: 6, predicted: 7 };
    const byLabel = new Map<string, MatchCounts>([['A', { correct: 1, gold: 1, predicted: 1 }]]);
    countSpans(['B-A', 'I-A', 'B-B'], ['B-A', 'I-A', 'O'], total, byLabel);
    expect(total).toEqual({ correct: 6, gold: 8, predicted: 8 });
    expect([...byLabel]).toEqual([
      ['A', { correct: 2, gold: 2, predicted: 2 }],
      ['B', { correct: 0, gold: 1, predicted: 0 }],
    ]);
  });

  it('does not let a span run into the next sentence', () => {
    const total = { correct: 0, gold: 0, predicted: 0 };
    countSpans(['B-A'], ['B-A'], total);
    countSpans(['I-A'], ['I-A'], total);
    expect(total).toEqual({ correct: 2, gold: 2, predicted: 2 });
  });

  it('counts nothing of a sentence with too few or too many tags', () => {
    const total = { correct: 0, gold: 0, predicted: 0 };
    const tooFew = () => countSpans(['B-A', 'O'], ['B-A'], total);
    expect(tooFew).toThrow(TagstreamError);
    expect(tooFew).toThrow('2 gold tags but 1 predicted tags');
    expect(() => countSpans([], ['B-A'], total)).toThrow('0 gold tags but 1 predicted tags');
    expect(total).toEqual({ correct: 0, gold: 0, predicted: 0 });
  });
});
