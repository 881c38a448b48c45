import { describe, expect, it } from 'vitest';
import { crossValidation } from '../../../../src/engine/metrics/evaluation/cross-validation.js';
import { Evaluation } from '../../../../src/engine/metrics/evaluation/evaluation.js';

type Tagged = readonly [gold: string, tags: string];

function evaluated(spanScheme: boolean, sentences: readonly Tagged[]): Evaluation {
  const evaluation = new Evaluation({ spanScheme });
  for (const [gold, tags] of sentences) {
    const [first, second] = [gold, tags].map(text => text.split(' '));
    evaluation.add({ tokens: first!, gold: first!, tags: second! });
  }
  return evaluation;
}

describe('crossValidation', () => {
  const folds: readonly (readonly Tagged[])[] = [
    [['A A B B', 'A A B A']],
    [['A B', 'A B']],
    [['A A', 'B A']],
  ];
  const result = crossValidation(
    folds.map(fold => evaluated(false, fold)),
    evaluated(false, folds.flat()),
  );

  it('has the mean and the sample deviation of the folds, and the scores of all sentences', () => {
    expect(result.folds.map(({ accuracy }) => accuracy)).toEqual([75, 100, 50]);
    expect(result.scores).toEqual({ accuracy: { mean: 75, deviation: 25 } });
    expect(result.pooled).toMatchObject({ sentences: 3, tokens: 8, accuracy: 75 });
  });

  it('has F1 by label, over the folds with gold tags of it', () => {
    const [a, b] = result.labels;
    // Of A: 2 of 3 found and both gold ones, then all, then 1 of 2 gold ones.
    const values = [80, 100, 200 / 3];
    const mean = values.reduce((sum, value) => sum + value, 0) / 3;
    expect(a).toMatchObject({ label: 'A', gold: 5, folds: 3 });
    expect(a!.mean).toBeCloseTo(mean, 10);
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    expect(a!.deviation).toBeCloseTo(Math.sqrt(squares / 2), 10);
    expect(a!.pooled).toBeCloseTo(80, 10);
    expect(b).toMatchObject({ label: 'B', gold: 3, folds: 2 });
    expect(b!.mean).toBeCloseTo((200 / 3 + 100) / 2, 10);
  });

  it('is of spans where the tags mark spans, and one fold has no deviation', () => {
    const only = evaluated(true, [['B-X I-X O B-Y', 'B-X I-X O O']]);
    const { labels, scores } = crossValidation([only], only);
    expect(labels.map(({ label, pooled }) => [label, pooled])).toEqual([
      ['X', 100],
      ['Y', 0],
    ]);
    expect(scores.recall).toEqual({ mean: 50, deviation: null });
  });
});
