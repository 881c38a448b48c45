import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import { cuttingPlanes } from '../../../../src/engine/trainers/margin/cutting-planes.js';
import {
  type EgOptions,
  ExponentiatedGradient,
  eg,
} from '../../../../src/engine/trainers/margin/eg.js';
import { smo } from '../../../../src/engine/trainers/margin/smo.js';
import type { TrainerComponent } from '../../../../src/engine/trainers/trainer-component.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../small-problem.js';

const l2 = 0.5;

const components = [smo, cuttingPlanes] as readonly unknown[] as readonly TrainerComponent<never>[];

function make(component: TrainerComponent<never>, problem: SmallProblem) {
  const objective = objectiveOf(problem, { l2, loss: hingeLoss });
  const options = component.options.parse({ l2 }) as never;
  return { trainer: component.create(options, { objective: () => objective }), objective };
}

function run({ trainer }: Pick<ReturnType<typeof make>, 'trainer'>, most = 3000): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

const cases = components.flatMap(component =>
  smallProblems.map(problem => ({
    name: `${component.name} on ${problem.name}`,
    component,
    problem,
  })),
);

describe.each(cases)('$name', ({ component, problem }) => {
  it('closes the gap between primal and dual, and its dual never falls', () => {
    const made = make(component, problem);
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

  it('comes to the optimum that exponentiated gradient comes to', { tags: 'slow' }, () => {
    const last = run(make(component, problem)).at(-1)!;
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
    const whole = make(component, problem);
    const expected = run(whole, 12).slice(4);
    const first = make(component, problem);
    run(first, 4);
    const second = make(component, problem);
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 8)).toEqual(expected);
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });
});

it.each(components)('$name needs the hinge loss', { tags: 'slow' }, ({ needs }) => {
  expect(needs!({} as never, hingeLoss)).toBeUndefined();
  expect(needs!({} as never, { ...hingeLoss, name: 'log' })).toBe('hinge');
});
