import { describe, expect, it } from 'vitest';
import { objectiveOf, smallProblems } from './small-problem.js';

describe.each(smallProblems)('the objective of $name', problem => {
  it.each(['reference', 'simd64'] as const)('has the gradient of differences (%s)', kernel => {
    const objective = objectiveOf(problem, { kernel });
    const weights = objective.weights().map((_, i) => Math.sin(i));
    const gradient = new Float64Array(weights.length);
    const nothing = new Float64Array(weights.length);
    const at = (i: number, h: number) => {
      const moved = weights.slice();
      moved[i]! += h;
      return objective.evaluate(moved, nothing);
    };
    objective.evaluate(weights, gradient);
    const slopes = weights.map((_, i) => (at(i, 1e-5) - at(i, -1e-5)) / 2e-5);
    expect(Math.max(...slopes.map((slope, i) => Math.abs(slope - gradient[i]!)))).toBeLessThan(
      1e-6,
    );
  });
});
