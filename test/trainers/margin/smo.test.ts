import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../src/core/training/trainer.js';
import { hingeLoss } from '../../../src/losses/hinge-loss.js';
import { type EgOptions, ExponentiatedGradient, eg } from '../../../src/trainers/margin/eg.js';
import { Smo, type SmoOptions, smo } from '../../../src/trainers/margin/smo.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../small-problem.js';

const l2 = 0.5;

function make(problem: SmallProblem, options: Partial<SmoOptions> = {}) {
  const objective = objectiveOf(problem, { l2, loss: hingeLoss });
  const trainer = new Smo(smo.options.parse({ l2, ...options }) as SmoOptions, objective);
  return { trainer, objective };
}

function run({ trainer }: Pick<ReturnType<typeof make>, 'trainer'>, most = 3000): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

describe.each(smallProblems)('sequential minimal optimization on $name', problem => {
  it('closes the gap between primal and dual, and its dual never falls', () => {
    const made = make(problem);
    const done = run(made);
    const last = done.at(-1)!;
    expect(last.ending).toBe('gap');
    expect(last.gradientNorm).toBeLessThanOrEqual(1e-4 * last.objective);
    const weights = made.objective.weights();
    const value = made.objective.evaluate(weights, new Float64Array(weights.length));
    expect(value).toBe(last.objective);
    expect(done[0]!.gradientNorm).toBeGreaterThan(0.01 * done[0]!.objective);
    const duals = done.map(({ objective, gradientNorm }) => objective - gradientNorm);
    for (let i = 1; i < duals.length; i += 1) {
      expect(duals[i]).toBeGreaterThanOrEqual(duals[i - 1]! - 1e-9);
    }
  });

  it('comes to the optimum that exponentiated gradient comes to', () => {
    const last = run(make(problem)).at(-1)!;
    const objective = objectiveOf(problem, { l2, loss: hingeLoss });
    const options = eg.options.parse({ l2, tolerance: 1e-4 }) as EgOptions;
    const trainer = new ExponentiatedGradient(options, objective);
    const other = run({ trainer } as never, 5000).at(-1)!;
    expect(other.ending).toBe('gap');
    // Both are within their gaps of it.
    const apart = Math.abs(last.objective - other.objective);
    expect(apart).toBeLessThanOrEqual(last.gradientNorm + other.gradientNorm + 1e-9);
  });

  it('resumes from a saved state to the same optimum, and the same weights', () => {
    const whole = make(problem);
    const expected = run(whole, 12).slice(4);
    const first = make(problem);
    run(first, 4);
    const second = make(problem);
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 8)).toEqual(expected);
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });
});

it('needs the hinge loss', () => {
  expect(smo.needs!({} as SmoOptions, hingeLoss)).toBeUndefined();
  expect(smo.needs!({} as SmoOptions, { ...hingeLoss, name: 'log' })).toBe('hinge');
});
