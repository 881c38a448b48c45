import { expect, it } from 'vitest';
import { Random } from '../../src/engine/core/random.js';
import { boxOf } from '../../src/reports/study/box-drawing.js';

it('has quartiles that as many values as they say are not above, and whiskers within one and a half boxes', () => {
  const random = new Random(2);
  for (let trial = 0; trial < 200; trial += 1) {
    // With 4 k + 1 values every quartile is one of them.
    const k = 1 + random.below(6);
    const values = Array.from({ length: 4 * k + 1 }, () => random.below(1000) ** 2);
    const { low, median, high, whiskers, outliers } = boxOf(values);
    for (const [quartile, below] of [
      [low, k],
      [median, 2 * k],
      [high, 3 * k],
    ] as const) {
      expect(values.filter(value => value < quartile).length).toBeLessThanOrEqual(below);
      expect(values.filter(value => value <= quartile).length).toBeGreaterThan(below);
    }
    const inside = (value: number) =>
      value >= low - 1.5 * (high - low) && value <= high + 1.5 * (high - low);
    expect(outliers.length).toBe(values.filter(value => !inside(value)).length);
    expect(Math.min(...values.filter(inside))).toBe(whiskers[0]);
    expect(Math.max(...values.filter(inside))).toBe(whiskers[1]);
  }
  expect(boxOf([1, 2]).median).toBe(1.5);
});
