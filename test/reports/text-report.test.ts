import { describe, expect, it } from 'vitest';
import { Evaluation } from '../../src/engine/metrics/evaluation/evaluation.js';
import { pairedBootstrap } from '../../src/engine/metrics/evaluation/paired-bootstrap.js';
import { pValueText, signed, textTable } from '../../src/reports/figures.js';
import { percentText } from '../../src/reports/marked-span.js';
import { conllevalTable, textReport } from '../../src/reports/text-report.js';

function evaluated(): Evaluation {
  const evaluation = new Evaluation({ spanScheme: true, vocabulary: new Set(['a']), bins: 10 });
  evaluation.add({
    tokens: ['a', 'b', 'c', 'a'],
    gold: ['B-NP', 'I-NP', 'O', 'B-VP'],
    tags: ['B-NP', 'I-NP', 'B-NP', 'B-NP'],
    marginals: [0.95, 0.95, 0.75, 0.55],
  });
  return evaluation;
}

describe('the report as text', () => {
  it('gives no orders to a terminal', () => {
    expect(
      textTable([
        ['\u001b[31m', 'a'],
        ['b', '\u0007'],
      ]),
    ).toBe('\\u{1b}[31m      a\nb           \\u{7}\n');
  });

  it('has the table of conlleval', () => {
    expect(conllevalTable(evaluated().report())).toBe(
      [
        'processed 4 tokens with 2 phrases; found: 3 phrases; correct: 1.',
        'accuracy:  50.00%; precision:  33.33%; recall:  50.00%; FB1:  40.00',
        '               NP: precision:  33.33%; recall: 100.00%; FB1:  50.00  3',
        '               VP: precision:      -%; recall:   0.00%; FB1:   0.00  0',
        '',
      ].join('\n'),
    );
  });

  it('has tables of tags and confusions, calibration and unseen words', () => {
    const text = textReport(evaluated().report());
    expect(text).toContain(
      [
        'tokens by tag  gold  predicted  correct  precision  recall      F1',
        'B-NP              1          3        1      33.33  100.00   50.00',
        'B-VP              1          0        0          -    0.00    0.00',
        'I-NP              1          1        1     100.00  100.00  100.00',
        'O                 1          0        0          -    0.00    0.00',
        '',
        'gold -> predicted  tokens  of errors',
        'B-VP -> B-NP            1    50.00 %',
        'O -> B-NP               1    50.00 %',
        '',
      ].join('\n'),
    );
    // (2 * 0.05 + 0.75 + 0.55) / 4
    expect(text).toContain(
      'calibration of tokens: expected error 0.3500, largest of a bin 0.7500 (10 bins of equal width, 4 probabilities)\n',
    );
    expect(text).toContain(
      'unseen words: accuracy 50.00 % of 2 tokens (50.00 % of all); seen words: 50.00 %\n',
    );
  });

  it('compares two models', () => {
    const evaluation = evaluated();
    const { counts } = evaluation;
    const better = [{ ...counts[0]!, equal: 4, correct: 2, predicted: 2 }];
    const comparison = {
      against: 'other.model',
      scores: { sentences: 1, tokens: 4, accuracy: 100, precision: 100, recall: 100, f1: 100 },
      ...pairedBootstrap(counts, better, { resamples: 3999, spanScheme: true }),
    };
    const text = textReport({ ...evaluation.report(), comparison });
    expect(text).toContain(
      'accuracy -50.00 against 100.00 of other.model: 95 % interval -50.00 to -50.00, p < 0.001\n',
    );
    expect(text).toContain('F1 -60.00 against 100.00 of other.model');
    const none = { ...comparison.accuracy, difference: 0, interval: [0, 0] as const, pValue: 1 };
    const equal = { ...comparison, accuracy: none, f1: none };
    expect(textReport({ ...evaluation.report(), comparison: equal })).toContain(
      'accuracy +0.00 against 100.00 of other.model: 95 % interval +0.00 to +0.00, p = 1.000\n',
    );
    expect(text).toContain('(paired bootstrap, 3,999 resamples, seed 1)\n');
  });

  it('leaves out what there is nothing of', () => {
    const plain = new Evaluation({ spanScheme: false });
    plain.add({ tokens: ['a'], gold: ['X'], tags: ['X'] });
    expect(textReport(plain.report())).toBe(
      'tokens by tag  gold  predicted  correct  precision  recall      F1\n' +
        'X                 1          1        1     100.00  100.00  100.00\n',
    );
  });

  it('writes small numbers as what they are', () => {
    expect([signed(0.004), signed(-0.004), signed(-1.5), signed(2)]).toEqual([
      '+0.00',
      '+0.00',
      '-1.50',
      '+2.00',
    ]);
    expect([pValueText(0.0001), pValueText(0.0312)]).toEqual(['p < 0.001', 'p = 0.031']);
    expect([1, 0.99961, 0.999, 0.0001, 0].map(percentText)).toEqual([
      '100.0 %',
      '>99.9 %',
      '99.9 %',
      '<0.1 %',
      '0.0 %',
    ]);
  });
});
