import { describe, expect, it } from 'vitest';
import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { TrainingHistory } from '../../../../src/engine/models/learning/training-history.js';

const scores = { sentences: 2, tokens: 9, accuracy: 88.5, precision: 50, recall: 25, f1: 100 / 3 };

describe('TrainingHistory', () => {
  it('notes the ends of passes alone, and resumes from what was saved', () => {
    const history = new TrainingHistory();
    history.note({ meanLoss: 3 });
    history.note({ passEnd: 1, meanLoss: 1 / 3, margin: { mistakes: 3, smallest: -2 / 3 } });
    const saved = history.save();
    history.note({ passEnd: 2, meanLoss: 0.25, scores });
    const rank = {
      ...{ limit: 5, sentences: 2, loss: 3, mean: 1.5, beyond: 0 },
      within: [{ best: 1, sentences: 1, share: 50 }],
    };
    const schemes = { gold: 'BIOES', model: 'BIO' };
    const full = { ...scores, tagF1: 50, skipped: 1, schemes, rank };
    const scored = new TrainingHistory();
    scored.note({ passEnd: 1, meanLoss: 1, scores: full });
    const copy = new TrainingHistory();
    copy.restore(JSON.parse(JSON.stringify(scored.save())));
    expect(copy.passes).toEqual(scored.passes);
    const margin = { mistakes: 3, smallest: -0.666666667 };
    expect(saved.json).toEqual({ passes: [{ pass: 1, loss: 0.333333333, margin }] });
    const other = new TrainingHistory();
    other.restore(JSON.parse(JSON.stringify(saved)));
    other.note({ passEnd: 2, meanLoss: 0.25, scores });
    expect(other.passes).toEqual(history.passes);
    expect(other.passes[1]).toEqual({ pass: 2, loss: 0.25, scores });
  });

  const passes = (...losses: number[]) => {
    const history = new TrainingHistory(() => Math.log(3));
    for (const [i, meanLoss] of losses.entries()) history.note({ passEnd: i + 1, meanLoss });
    return history;
  };

  it.each([
    ['doubled', [0.4, 0.3, 0.81]],
    ['no number', [0.4, 0.3, Number.NaN]],
    ['negative, as with unlabelled records', [-1, -2, 0.1]],
  ])('ends a training that diverges: %s', (_, losses) => {
    expect(() => passes(...losses)).toThrow(
      expect.objectContaining({ code: 'numeric', fix: expect.stringContaining('lower eta0') }),
    );
  });

  it.each([
    ['before the third pass', [0.4, 4]],
    ['little of next to nothing', [0.001, 0.05, 0.09]],
    ['less than twice', [1, 1.5, 1.9]],
    ['down', [1, 0.5, 0.1]],
  ])('lets a loss grow %s', (_, losses) => {
    expect(passes(...losses).passes).toHaveLength(losses.length);
  });

  it('ends a training that stays worse than a model without weights', () => {
    const history = new TrainingHistory(() => Math.log(3));
    for (const passEnd of [1, 2]) history.note({ passEnd, meanLoss: 9 });
    expect(() => history.note({ passEnd: 3, meanLoss: 2.3 })).toThrow(
      'in pass 3 the loss is 2.30 per token, a model with all weights 0 has 1.10',
    );
    history.note({ passEnd: 4, meanLoss: 2.1 });
    const weighted = [3, 1].map(weight => ({ length: 5, sentence: { weight } }));
    history.settle(weighted as unknown as EncodedSentence[]);
    history.note({ passEnd: 5, meanLoss: 4.3 });
    expect(() => history.note({ passEnd: 6, meanLoss: 4.5 })).toThrow('diverges');
  });

  it('says where passes have not lowered the loss', () => {
    expect(passes(0.4, 0.39, 0.4).stagnation).toContain(
      '3 passes have not lowered the loss: 0.400',
    );
    for (const losses of [[], [0.4, 0.4], [0.4, 0.5, 0.399], [0.01, 0.01, 0.01]]) {
      expect(passes(...losses).stagnation).toBeUndefined();
    }
  });

  it.each([
    {},
    { passes: 3 },
    { passes: [{ pass: 0, loss: 1 }] },
    { passes: [{ pass: 1, loss: 'x' }] },
    { passes: [{ pass: 1, loss: 1, scores: 3 }] },
  ])('refuses a state that is none of a history: %j', json => {
    const restore = () => new TrainingHistory().restore({ json, arrays: {} });
    expect(restore).toThrow(expect.objectContaining({ code: 'checkpoint' }));
  });
});
