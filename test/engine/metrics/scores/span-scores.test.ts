import { describe, expect, it } from 'vitest';
import { SpanScores } from '../../../../src/engine/metrics/scores/span-scores.js';

describe('SpanScores', () => {
  it('counts in all and by label, over several sentences', () => {
    const scores = new SpanScores();
    // Gold NP [0,2), VP [2,3), NP [3,4); predicted NP [0,2), VP [2,4).
    scores.add(['B-NP', 'I-NP', 'B-VP', 'B-NP'], ['B-NP', 'I-NP', 'B-VP', 'I-VP']);
    // Gold NP [0,1); predicted PP [0,1), NP [1,2).
    scores.add(['I-NP', 'O'], ['B-PP', 'B-NP']);
    expect(scores.labels).toEqual(['NP', 'PP', 'VP']);
    expect(scores.total).toEqual({
      correct: 1,
      gold: 4,
      predicted: 4,
      precision: 25,
      recall: 25,
      f1: 25,
    });
    const np = scores.of('NP');
    expect([np.correct, np.gold, np.predicted]).toEqual([1, 3, 2]);
    expect(np.precision).toBe(50);
    expect(np.recall).toBeCloseTo(100 / 3, 12);
    expect(np.f1).toBeCloseTo(40, 12);
    const vp = scores.of('VP');
    expect([vp.correct, vp.gold, vp.predicted, vp.f1]).toEqual([0, 1, 1, 0]);
    const pp = scores.of('PP');
    expect([pp.correct, pp.gold, pp.predicted, pp.recall]).toEqual([0, 0, 1, null]);
  });

  it('counts spans without type under the empty label', () => {
    const scores = new SpanScores();
    scores.add(['B', 'I', 'O'], ['B', 'I', 'O']);
    expect(scores.labels).toEqual(['']);
    expect(scores.of('').f1).toBe(100);
  });

  it('knows nothing of labels that it has not seen, nor of names that every object has', () => {
    const scores = new SpanScores();
    scores.add(['B-constructor'], ['B-constructor']);
    expect(scores.of('constructor').gold).toBe(1);
    expect(scores.of('toString').gold).toBe(0);
    expect(scores.labels).toEqual(['constructor']);
  });

  it('counts nothing of a sentence whose lengths differ', () => {
    const scores = new SpanScores();
    expect(() => scores.add(['B-A'], [])).toThrow('1 gold tags but 0 predicted tags');
    expect(scores.labels).toEqual([]);
    expect(scores.total.gold).toBe(0);
  });
});
