import { describe, expect, it } from 'vitest';
import type { Iteration, Trainer } from '../../../src/core/training/trainer.js';
import { inverseCurvature } from '../../../src/trainers/lbfgs/inverse-curvature.js';
import { lbfgs } from '../../../src/trainers/lbfgs/lbfgs.js';
import { objectiveOf, smallProblems } from '../small-problem.js';

function iterations(trainer: Trainer): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < 1000 && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

describe.each(smallProblems)('inverse curvature: $name', problem => {
  it('is near the second differences at weights of zero', () => {
    const objective = objectiveOf(problem, { l2: 0.1 });
    const inverse = inverseCurvature(objective);
    const { size } = objective.free;
    const [low, high] = [new Float64Array(size), new Float64Array(size)];
    const step = 1e-4;
    for (let k = 0; k < size; k += 1) {
      const weights = new Float64Array(size);
      weights[k] = -step;
      objective.evaluate(weights, low);
      weights[k] = step;
      objective.evaluate(weights, high);
      const ratio = (inverse[k]! * (high[k]! - low[k]!)) / (2 * step);
      // Exact for state features; transitions that follow each other are not independent.
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('leads L-BFGS to the same minimum', () => {
    const exact = { l2: 0.1, decrease: 0, tolerance: 1e-6 };
    const ends = [false, true].map(scaled => {
      const objective = objectiveOf(problem, { l2: 0.1 });
      const options = lbfgs.options.parse({ ...exact, scaled });
      return iterations(lbfgs.create(options, { objective: () => objective })).at(-1)!;
    });
    expect(ends.map(({ ending }) => ending)).toEqual(['gradient', 'gradient']);
    expect(ends[1]!.objective).toBeCloseTo(ends[0]!.objective, 8);
  });
});
