import { describe, expect, it } from 'vitest';
import type { Scores } from '../../../../src/engine/core/training/training-step.js';
import { EarlyStopping } from '../../../../src/engine/models/learning/held-out-evaluator.js';
import { deepCopy } from '../examples/deep-copy.js';

function accuracy(value: number): Scores {
  return { sentences: 1, tokens: 1, accuracy: value };
}

/** Bytes of the model of pass 1, 2, 3, ... */
function counter(): () => Uint8Array {
  let pass = 0;
  return () => {
    pass += 1;
    return Uint8Array.of(pass, pass);
  };
}

describe('EarlyStopping', () => {
  it('ends training when the score has not risen for so many evaluations', () => {
    const stopping = new EarlyStopping(3, counter());
    const scores = [50, 60, 60, 59, 61, 61, 60, 61, 99];
    expect(scores.map((score, i) => stopping.consider(accuracy(score), i + 1))).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it('keeps the best model, the first of equals, and takes no other', () => {
    const stopping = new EarlyStopping(9, counter());
    expect(stopping.bestModel).toBeUndefined();
    expect(stopping.bestPass).toBe(0);
    const bests = [50, 60, 60, 40, 61].map((score, i) => {
      stopping.consider(accuracy(score), i + 1);
      return [stopping.bestPass, stopping.bestModel![0]];
    });
    expect(bests).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
      [2, 2],
      [5, 3],
    ]);
  });

  it('goes by F1 where there is one', () => {
    const stopping = new EarlyStopping(1, counter());
    expect(stopping.consider({ ...accuracy(90), f1: 50 }, 1)).toBe(false);
    expect(stopping.consider({ ...accuracy(80), f1: 51 }, 2)).toBe(false);
    expect(stopping.consider({ ...accuracy(99), f1: 51 }, 3)).toBe(true);
    expect(stopping.bestPass).toBe(2);
  });

  it('keeps a model even where nothing is right', () => {
    const stopping = new EarlyStopping(1, counter());
    expect(stopping.consider(accuracy(0), 1)).toBe(false);
    expect(stopping.bestModel).toEqual(Uint8Array.of(1, 1));
  });

  it.each([0, 1, 2, 3, 4, 5])('resumes from what was saved after %i evaluations', saved => {
    const scores = [50, 60, 55, 61, 58, 59];
    const whole = new EarlyStopping(2, counter());
    const consider = (stopping: EarlyStopping, from: number, to: number) =>
      scores.slice(from, to).map((score, i) => stopping.consider(accuracy(score), from + i + 1));
    consider(whole, 0, saved);
    const restored = new EarlyStopping(2, () => whole.bestModel!);
    restored.restore(deepCopy(whole.save()));
    expect([restored.bestPass, restored.bestModel]).toEqual([whole.bestPass, whole.bestModel]);
    expect(consider(restored, saved, 6)).toEqual(consider(whole, saved, 6));
    expect(restored.bestPass).toBe(4);
  });

  it('keeps a copy of the model of its own', () => {
    const stopping = new EarlyStopping(1, counter());
    stopping.consider(accuracy(1), 1);
    const state = deepCopy(stopping.save());
    const restored = new EarlyStopping(1, counter());
    restored.restore(state);
    (state.arrays.model as Uint8Array).fill(9);
    expect(restored.bestModel).toEqual(Uint8Array.of(1, 1));
  });
});
