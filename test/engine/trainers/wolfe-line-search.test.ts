import { expect, it } from 'vitest';
import { wolfeLineSearch } from '../../../src/engine/trainers/wolfe-line-search.js';

type Real = (a: number) => number;

/** Functions along a line that fall at 0, with their slopes. */
const functions: readonly (readonly [name: string, value: Real, slope: Real])[] = [
  ['a parabola', a => (a - 3) ** 2, a => 2 * (a - 3)],
  ['a narrow valley', a => (a - 0.01) ** 2, a => 2 * (a - 0.01)],
  ['a steep wall', a => (a - 2) ** 4 - a, a => 4 * (a - 2) ** 3 - 1],
  ['several valleys', a => a - 2 * Math.sin(3 * a), a => 1 - 6 * Math.cos(3 * a)],
  ['a barrier', a => -Math.log(1 + a) + a * a, a => -1 / (1 + a) + 2 * a],
];

it.each(functions)('%s: a step that satisfies the strong Wolfe conditions', (_, value, slope) => {
  const pointAt = (step: number) => ({ step, value: value(step), slope: slope(step) });
  const start = pointAt(0);
  for (const first of [1e-3, 0.01, 0.1, 1, 10, 100]) {
    for (const curvature of [0.9, 0.1, 1e-3]) {
      const steps: number[] = [];
      const evaluate = (step: number) => {
        steps.push(step);
        return pointAt(step);
      };
      const found = wolfeLineSearch(evaluate, start, first, curvature)!;
      const what = `first ${first}, curvature ${curvature}, steps ${steps}`;
      expect(found.step, what).toBe(steps.at(-1));
      expect(found.value, what).toBeLessThanOrEqual(start.value + 1e-4 * found.step * start.slope);
      expect(Math.abs(found.slope), what).toBeLessThanOrEqual(curvature * Math.abs(start.slope));
      expect(steps.length, what).toBeLessThan(40);
    }
  }
});

it('finds nothing where the value rises at once, whatever the slope says', () => {
  const rising = (step: number) => ({ step, value: 1 + step, slope: 1 });
  expect(wolfeLineSearch(rising, { step: 0, value: 1, slope: -1 }, 1)).toBeUndefined();
});
