import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Confusion } from '../../../../src/engine/metrics/evaluation/confusion.js';
import { sentences } from '../sentences.js';

describe('Confusion', () => {
  function example(): Confusion {
    const confusion = new Confusion();
    confusion.add(['N', 'V', 'N', 'A'], ['N', 'N', 'V', 'N']);
    confusion.add(['V', 'V'], ['N', 'P']);
    return confusion;
  }

  it('counts pairs of tags', () => {
    const confusion = example();
    expect(confusion.labels).toEqual(['A', 'N', 'P', 'V']);
    expect(
      confusion.labels.map(gold => confusion.labels.map(tag => confusion.count(gold, tag))),
    ).toEqual([
      [0, 1, 0, 0],
      [0, 1, 0, 1],
      [0, 0, 0, 0],
      [0, 2, 1, 0],
    ]);
    expect(confusion.count('X', 'N')).toBe(0);
  });

  it('names the errors, most frequent first, then by name', () => {
    const errors = [
      { gold: 'V', predicted: 'N', count: 2 },
      { gold: 'A', predicted: 'N', count: 1 },
      { gold: 'N', predicted: 'V', count: 1 },
      { gold: 'V', predicted: 'P', count: 1 },
    ];
    expect(example().errors()).toEqual(errors);
    expect(example().errors(2)).toEqual(errors.slice(0, 2));
  });

  it('scores one tag against all others', () => {
    // N: 1 right, 2 in gold, 4 predicted.
    expect(example().of('N')).toEqual({
      correct: 1,
      gold: 2,
      predicted: 4,
      precision: 25,
      recall: 50,
      f1: 100 / 3,
    });
    expect(example().of('P').predicted).toBe(1);
    expect(example().of('X').f1).toBeNull();
  });

  it('counts nothing of a sentence whose lengths differ', () => {
    const confusion = new Confusion();
    expect(() => confusion.add(['N', 'N'], ['N'])).toThrow('2 gold tags but 1 predicted tags');
    expect(confusion.labels).toEqual([]);
  });

  it('has each token in one cell', () => {
    fc.assert(
      fc.property(sentences, corpus => {
        const confusion = new Confusion();
        for (const { gold, predicted } of corpus) confusion.add(gold, predicted);
        const golds = corpus.flatMap(sentence => sentence.gold);
        const predictions = corpus.flatMap(sentence => sentence.predicted);
        const right = golds.filter((tag, t) => tag === predictions[t]).length;
        const wrong = confusion.errors().reduce((sum, cell) => sum + cell.count, 0);
        expect(right + wrong).toBe(golds.length);
        for (const label of confusion.labels) {
          const { gold, predicted } = confusion.of(label);
          expect(gold).toBe(golds.filter(tag => tag === label).length);
          expect(predicted).toBe(predictions.filter(tag => tag === label).length);
        }
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
