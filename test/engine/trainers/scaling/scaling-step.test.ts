import { describe, expect, it } from 'vitest';
import { scalingStep } from '../../../../src/engine/trainers/scaling/iterative-scaling.js';

const counts = (...values: number[]) => Float64Array.from(values);

describe('the step of iterative scaling', () => {
  it.each([
    [3, 5],
    [5, 3],
    [1e-9, 4],
  ])('is log(observed / expected) / total with one group: %d to %d', (expected, observed) => {
    const input = { expected: [counts(expected)], totals: [12], observed: counts(observed) };
    const step = scalingStep({ ...input, weights: counts(0), l2: 0 }, 0);
    expect(step).toBeCloseTo(Math.log(observed / expected) / 12, 12);
  });

  it.each([0.01, 3, 40])('solves the equation of several groups and L2, to %d', observed => {
    const expected = [counts(0.5), counts(2), counts(0)];
    const totals = [3, 11, 400];
    const weights = counts(0.7);
    const input = { expected, totals, observed: counts(observed), weights, l2: 0.3 };
    const step = scalingStep(input, 0);
    const left = 0.5 * Math.exp(3 * step) + 2 * Math.exp(11 * step) + 2 * 0.3 * (0.7 + step);
    expect(left).toBeCloseTo(observed, 9);
  });

  it('is bounded for what is never observed, and nothing for what cannot be', () => {
    const input = { totals: [5], observed: counts(0), weights: counts(0), l2: 0 };
    expect(scalingStep({ ...input, expected: [counts(2)] }, 0)).toBe(-2);
    expect(scalingStep({ ...input, expected: [counts(0)] }, 0)).toBe(0);
  });
});
