import { describe, expect, it } from 'vitest';
import { Evaluation } from '../../../../src/engine/metrics/evaluation/evaluation.js';
import { sentenceCounts } from '../../../../src/engine/metrics/evaluation/paired-bootstrap.js';

const chunked = {
  tokens: ['He', 'reads', 'old', 'books'],
  gold: ['B-NP', 'B-VP', 'B-NP', 'I-NP'],
  tags: ['B-NP', 'B-VP', 'B-NP', 'B-NP'],
  marginals: [1, 0.75, 0.75, 0.5],
  spans: [
    { label: 'NP', start: 0, end: 1, probability: 0.75 },
    { label: 'VP', start: 1, end: 2, probability: 0.5 },
    { label: 'NP', start: 2, end: 3, probability: 0.25 },
    { label: 'NP', start: 3, end: 4 },
  ],
};
const right = { tokens: ['Go'], gold: ['B-VP'], tags: ['B-VP'], marginals: [0.75] };

describe('Evaluation', () => {
  it('counts spans, tokens, confusions and probabilities of both', () => {
    const evaluation = new Evaluation({
      spanScheme: true,
      vocabulary: new Set(['He', 'books']),
      bins: 2,
      errors: 1,
    });
    for (const sentence of [right, chunked, chunked]) evaluation.add(sentence);
    const report = evaluation.report();
    expect(report).toMatchObject({ sentences: 3, tokens: 9, accuracy: 700 / 9 });
    expect(report.spans!.total).toMatchObject({ correct: 5, gold: 7, predicted: 9 });
    expect(report.spans!.labels.map(({ label, correct, f1 }) => [label, correct, f1])).toEqual([
      ['NP', 2, 40],
      ['VP', 3, 100],
    ]);
    expect(report.labels.map(({ label, gold, predicted }) => [label, gold, predicted])).toEqual([
      ['B-NP', 4, 6],
      ['B-VP', 3, 3],
      ['I-NP', 2, 0],
    ]);
    expect(report.confusions).toEqual([{ gold: 'I-NP', predicted: 'B-NP', count: 2 }]);
    // Tokens: 0.5 is wrong twice; of the others the mean is (0.75 * 5 + 2) / 7, all right.
    const tokens = report.calibration!.tokens!;
    expect(tokens.count).toBe(9);
    expect(tokens.expectedError).toBeCloseTo((2 * 0.5 + 7 * (1 - 5.75 / 7)) / 9, 12);
    // Spans: (0, 0.5] has 0.5 right and 0.25 wrong, (0.5, 1] has 0.75 right; each twice.
    const spans = report.calibration!.spans!;
    expect(spans.count).toBe(6);
    expect(spans.expectedError).toBeCloseTo((4 * 0.125 + 2 * 0.25) / 6, 12);
    expect(report.words).toEqual({
      unseen: { tokens: 5, correct: 5, accuracy: 100 },
      seen: { tokens: 4, correct: 2, accuracy: 50 },
    });
    expect(evaluation.errorSentences).toBe(2);
    expect(evaluation.errors).toEqual([chunked]);
    expect(evaluation.counts[1]).toEqual(sentenceCounts(chunked.gold, chunked.tags, true));
  });

  it('has no part without what it needs', () => {
    const evaluation = new Evaluation({ spanScheme: false });
    evaluation.add({ tokens: ['a'], gold: ['X'], tags: ['Y'] });
    expect(Object.keys(evaluation.report())).toEqual([
      'sentences',
      'tokens',
      'accuracy',
      'skipped',
      'labels',
      'confusions',
    ]);
    expect(evaluation.errors).toEqual([]);
    expect(evaluation.errorSentences).toBe(1);
  });

  it('counts nothing of a sentence that cannot be scored', () => {
    const evaluation = new Evaluation({ spanScheme: false, vocabulary: new Set() });
    expect(() => evaluation.add({ tokens: ['a'], tags: ['Y'] })).toThrow('without gold tags');
    expect(() => evaluation.add({ tokens: ['a'], gold: ['X'], tags: ['X', 'Y'] })).toThrow(
      '1 gold tags but 2 predicted',
    );
    expect(() => evaluation.add({ tokens: ['a', 'b'], gold: ['X'], tags: ['X'] })).toThrow();
    expect(evaluation.report()).toMatchObject({ sentences: 0, tokens: 0, labels: [] });
    expect(evaluation.counts).toEqual([]);
  });
});
