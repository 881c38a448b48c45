import { describe, expect, it } from 'vitest';
import { TaggingScores } from '../../../../src/engine/metrics/scores/tagging-scores.js';

describe('TaggingScores', () => {
  it('has accuracy and spans for tags that mark spans', () => {
    const tagging = new TaggingScores(true);
    // One of two gold spans, one predicted; 3 of 4 tokens.
    tagging.add(['B-A', 'I-A', 'O'], ['B-A', 'I-A', 'O']);
    tagging.add(['B-B'], ['O']);
    const { f1, tagF1, ...others } = tagging.scores();
    expect(others).toEqual({ sentences: 2, tokens: 4, accuracy: 75, precision: 100, recall: 50 });
    // Two of three tags that are not O, two predicted.
    expect(tagF1).toBeCloseTo(80, 12);
    expect(f1).toBeCloseTo(200 / 3, 12);
    expect(tagging.spans?.of('B').gold).toBe(1);
  });

  it('has accuracy alone for other tags', () => {
    const tagging = new TaggingScores(false);
    tagging.add(['N', 'V'], ['N', 'N']);
    expect(tagging.scores()).toEqual({ sentences: 1, tokens: 2, accuracy: 50 });
    expect(Object.keys(tagging.scores())).toEqual(['sentences', 'tokens', 'accuracy']);
    expect(tagging.spans).toBe(undefined);
  });

  it('is undefined before any sentence', () => {
    expect(new TaggingScores(true).scores()).toEqual({
      sentences: 0,
      tokens: 0,
      accuracy: null,
      precision: null,
      recall: null,
      f1: null,
      tagF1: null,
    });
  });

  it('counts nothing of a sentence whose lengths differ', () => {
    const tagging = new TaggingScores(true);
    expect(() => tagging.add(['B-A'], ['B-A', 'O'])).toThrow('1 gold tags but 2 predicted tags');
    expect(tagging.scores().sentences).toBe(0);
    expect(tagging.spans?.total.gold).toBe(0);
  });
});
