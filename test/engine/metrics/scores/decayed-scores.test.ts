import { describe, expect, it } from 'vitest';
import { DecayedScores } from '../../../../src/engine/metrics/scores/decayed-scores.js';

const sentence = (numbers: Partial<Parameters<DecayedScores['add']>[0]>) => ({
  ...{ tokens: 0, equal: 0, correct: 0, gold: 0, predicted: 0, loss: 0 },
  ...numbers,
});

describe('DecayedScores', () => {
  it('is worked by hand: half-life 1, three sentences of weights 1/4, 1/2 and 1', () => {
    const scores = new DecayedScores(1);
    scores.add(sentence({ tokens: 4, equal: 4, correct: 4, gold: 4, predicted: 4, loss: 8 }));
    scores.add(sentence({ tokens: 2, equal: 0, correct: 0, gold: 2, predicted: 2, loss: 2 }));
    scores.add(sentence({ tokens: 3, equal: 3, correct: 1, gold: 1, predicted: 2, loss: 1 }));
    // tokens 1 + 1 + 3, right 1 + 0 + 3; spans right 1 + 0 + 1, gold 1 + 1 + 1, predicted 1 + 1 + 2.
    const { recall, f1, ...others } = scores.scores(true);
    expect(others).toEqual({ sentences: 1.75, tokens: 5, accuracy: 80, precision: 50, loss: 0.8 });
    expect(recall).toBeCloseTo(200 / 3, 12);
    expect(f1).toBeCloseTo(400 / 7, 12);
    expect(scores.scores(false)).toEqual({ sentences: 1.75, tokens: 5, accuracy: 80, loss: 0.8 });
  });

  it('halves a sentence when as many have come as the half-life is', () => {
    const scores = new DecayedScores(50);
    scores.add(sentence({ tokens: 1 }));
    for (let i = 0; i < 50; i += 1) scores.add(sentence({}));
    expect(scores.scores(false).tokens).toBeCloseTo(0.5, 12);
    for (let i = 0; i < 100; i += 1) scores.add(sentence({}));
    expect(scores.scores(false).tokens).toBeCloseTo(0.125, 12);
  });

  it('forgets: of many sentences it weighs as 1 / (1 - 2^(-1 / halfLife))', () => {
    const scores = new DecayedScores(20);
    for (let i = 0; i < 5000; i += 1) scores.add(sentence({ tokens: 2, equal: 1 }));
    expect(scores.scores(false).sentences).toBeCloseTo(1 / (1 - 2 ** (-1 / 20)), 9);
    for (let i = 0; i < 200; i += 1) scores.add(sentence({ tokens: 2, equal: 2 }));
    // 2^-10 of what there was is left.
    expect(scores.scores(false).accuracy).toBeCloseTo(100 - 50 / 1024, 9);
  });

  it('is undefined before anything has come', () => {
    expect(new DecayedScores(3).scores(false)).toEqual({
      sentences: 0,
      tokens: 0,
      accuracy: null,
      loss: null,
    });
  });

  it('resumes from what was saved, which is as large at any time', () => {
    const steady = new DecayedScores(7);
    const sizes = new Set<number>();
    for (let i = 0; i < 40; i += 1) {
      steady.add(sentence({ tokens: 3, equal: i % 4 }));
      sizes.add(steady.save().arrays.sums!.length);
    }
    expect([...sizes]).toEqual([7]);
    const resumed = new DecayedScores(7);
    resumed.restore(structuredClone(steady.save()));
    for (const each of [steady, resumed]) each.add(sentence({ tokens: 1, loss: 2 }));
    expect(resumed.scores(true)).toEqual(steady.scores(true));
  });

  it.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the half-life %d', value => {
    expect(() => new DecayedScores(value)).toThrow(`the half-life of the scores is ${value}`);
  });

  it('refuses what is not its state', () => {
    const scores = new DecayedScores(3);
    const { json } = scores.save();
    const short = { sums: new Float64Array(2) };
    expect(() => scores.restore({ json, arrays: short })).toThrow('is incomplete');
  });
});
