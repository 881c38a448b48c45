import { describe, expect, it } from 'vitest';
import type { Trainer } from '../../../src/engine/core/training/trainer.js';
import { losses } from '../../../src/engine/losses/losses.js';
import { conjugateGradient } from '../../../src/engine/trainers/conjugate/conjugate-gradient.js';
import { lbfgs } from '../../../src/engine/trainers/lbfgs/lbfgs.js';
import type { Objective } from '../../../src/engine/trainers/objective.js';
import { norm } from '../../../src/engine/trainers/vectors/vectors.js';
import { objectiveOf, smallProblems } from './small-problem.js';

/** Runs a trainer to its end; the objective and the length of its gradient there. */
function end(trainer: Trainer, objective: Objective): { value: number; slope: number } {
  for (let i = 0; i < 3000; i += 1) if (trainer.iterate().ending !== undefined) break;
  const weights = objective.weights();
  const gradient = new Float64Array(weights.length);
  const value = objective.evaluate(weights, gradient);
  return { value, slope: norm(gradient) };
}

describe.each(losses.filter(({ smooth }) => smooth))('the $name loss', loss => {
  it.each(smallProblems)('has its minimum found by L-BFGS: $name', problem => {
    const exact = { tolerance: 1e-9, decrease: 0, l2: 0.5 };
    const quick = objectiveOf(problem, { loss });
    const start = quick.evaluate(quick.weights(), new Float64Array(quick.free.size));
    const minimum = end(
      lbfgs.create(lbfgs.options.parse(exact), { objective: () => quick }),
      quick,
    );
    expect(minimum.slope).toBeLessThan(1e-5);
    expect(minimum.value).toBeLessThan(start * 0.8);
    const other = objectiveOf(problem, { loss });
    const found = end(
      conjugateGradient.create(conjugateGradient.options.parse(exact), { objective: () => other }),
      other,
    );
    expect(Math.abs(found.value - minimum.value)).toBeLessThan(1e-8 * minimum.value);
  });
});
