import { expect, it } from 'vitest';
import { TagScores } from '../../../../src/engine/metrics/scores/tagging-scores.js';

it('counts single tags that are not O', () => {
  const scores = new TagScores();
  expect(scores.total).toMatchObject({ precision: null, recall: null, f1: null });
  scores.add(['O', 'O'], ['O', 'O']);
  expect(scores.total).toMatchObject({ correct: 0, gold: 0, predicted: 0 });
  scores.add(['B-A', 'I-A', 'O', 'B-B'], ['B-A', 'I-B', 'B-B', 'O']);
  expect(scores.total).toMatchObject({ correct: 1, gold: 3, predicted: 3 });
  expect(scores.total.f1).toBeCloseTo(100 / 3, 12);
});

it('counts nothing of a sentence whose lengths differ', () => {
  const scores = new TagScores();
  expect(() => scores.add(['B-A'], [])).toThrow('1 gold tags but 0 predicted tags');
  expect(scores.total.gold).toBe(0);
});
