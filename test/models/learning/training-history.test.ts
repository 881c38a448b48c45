import { describe, expect, it } from 'vitest';
import { TrainingHistory } from '../../../src/models/learning/training-history.js';

const scores = { sentences: 2, tokens: 9, accuracy: 88.5, precision: 50, recall: 25, f1: 100 / 3 };

describe('TrainingHistory', () => {
  it('notes the ends of passes alone, and resumes from what was saved', () => {
    const history = new TrainingHistory();
    history.note({ meanLoss: 3 });
    history.note({ passEnd: 1, meanLoss: 1 / 3 });
    const saved = history.save();
    history.note({ passEnd: 2, meanLoss: 0.25, scores });
    expect(saved.json).toEqual({ passes: [{ pass: 1, loss: 0.333333333 }] });
    const other = new TrainingHistory();
    other.restore(JSON.parse(JSON.stringify(saved)));
    other.note({ passEnd: 2, meanLoss: 0.25, scores });
    expect(other.passes).toEqual(history.passes);
    expect(other.passes[1]).toEqual({ pass: 2, loss: 0.25, scores });
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
