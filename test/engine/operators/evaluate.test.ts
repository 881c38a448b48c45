import { from, lastValueFrom, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { Scores, TrainingStep } from '../../../src/engine/core/training/training-step.js';
import { EarlyStopping } from '../../../src/engine/models/learning/held-out-evaluator.js';
import { evaluate } from '../../../src/engine/operators/evaluate.js';

/** A step, the end of a pass where one is given. */
function step(number: number, passEnd?: number): TrainingStep {
  return {
    contribution: undefined as never,
    step: number,
    sentencesSeen: number,
    meanLoss: 0,
    ...(passEnd === undefined ? {} : { passEnd }),
  };
}

/** Two steps a pass. */
function steps(passes: number): TrainingStep[] {
  return Array.from({ length: passes * 2 }, (_, i) =>
    step(i + 1, i % 2 === 1 ? (i + 1) / 2 : undefined),
  );
}

/** An evaluator whose accuracy after each pass is given. */
function accuracies(...values: readonly number[]) {
  let calls = 0;
  return {
    evaluate(): Scores {
      const accuracy = values[calls]!;
      calls += 1;
      return { sentences: 1, tokens: 1, accuracy };
    },
    get calls() {
      return calls;
    },
  };
}

describe('evaluate', () => {
  it('adds scores to the steps that end a pass, and leaves the others alone', async () => {
    const evaluator = accuracies(50, 60, 70);
    const given = steps(3);
    const seen = await lastValueFrom(from(given).pipe(evaluate(evaluator), toArray()));
    expect(seen.map(({ scores }) => scores?.accuracy)).toEqual([
      undefined,
      50,
      undefined,
      60,
      undefined,
      70,
    ]);
    expect(seen[0]).toBe(given[0]);
    expect(seen[1]).toEqual({
      ...given[1],
      scores: { sentences: 1, tokens: 1, accuracy: 50 },
      stop: false,
    });
    expect(given[1]).not.toHaveProperty('scores');
    expect(evaluator.calls).toBe(3);
  });

  it('does so every so many passes', async () => {
    const evaluator = accuracies(50, 60);
    const seen = await lastValueFrom(
      from(steps(7)).pipe(evaluate(evaluator, { every: 3 }), toArray()),
    );
    const scored = seen.filter(({ scores }) => scores !== undefined);
    expect(scored.map(({ passEnd }) => passEnd)).toEqual([3, 6]);
    expect(evaluator.calls).toBe(2);
  });

  it('ends after the pass that brings no more, and keeps the best model', async () => {
    const evaluator = accuracies(50, 70, 70, 60, 99);
    const stopping = new EarlyStopping(2, () => Uint8Array.of(evaluator.calls));
    const seen = await lastValueFrom(
      from(steps(5)).pipe(evaluate(evaluator, { stopping }), toArray()),
    );
    expect(seen).toHaveLength(8);
    expect(seen.at(-1)).toMatchObject({ passEnd: 4, stop: true, scores: { accuracy: 60 } });
    expect(seen.slice(0, -1).every(({ stop }) => stop !== true)).toBe(true);
    expect(stopping.bestPass).toBe(2);
    expect(stopping.bestModel).toEqual(Uint8Array.of(2));
    expect(evaluator.calls).toBe(4);
  });

  it('lets its source go when it stops', () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ cold, expectObservable, expectSubscriptions }) => {
        const a = step(1, 1);
        const b = step(2, 2);
        const scores = { sentences: 1, tokens: 1, accuracy: 5 };
        const source = cold('-a-b-b-|', { a, b });
        const stopping = new EarlyStopping(1, () => new Uint8Array(1));
        const output = source.pipe(evaluate(accuracies(5, 5), { stopping }));
        const values = { a: { ...a, scores, stop: false }, b: { ...b, scores, stop: true } };
        expectObservable(output).toBe('-a-(b|)', values);
        expectSubscriptions(source.subscriptions).toBe('^--!');
      },
    );
  });

  it('passes on what goes wrong in an evaluation', async () => {
    const evaluator = {
      evaluate(): Scores {
        throw new Error('no data');
      },
    };
    const seen = lastValueFrom(from(steps(1)).pipe(evaluate(evaluator), toArray()));
    await expect(seen).rejects.toThrow('no data');
  });
});
