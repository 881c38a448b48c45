import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import {
  type EgOptions,
  ExponentiatedGradient,
  eg,
} from '../../../../src/engine/trainers/margin/eg.js';
import type { Objective } from '../../../../src/engine/trainers/objective.js';
import { OnlinePasses } from '../../../../src/engine/trainers/switching/online-passes.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../small-problem.js';

const l2 = 0.5;

function make(problem: SmallProblem, options: Partial<EgOptions> = {}) {
  const objective = objectiveOf(problem, { l2, loss: hingeLoss });
  const trainer = new ExponentiatedGradient(
    eg.options.parse({ l2, ...options }) as EgOptions,
    objective,
  );
  return { trainer, objective };
}

function run({ trainer }: ReturnType<typeof make>, most = 5000): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

const objectiveAt = (objective: Objective) =>
  objective.evaluate(objective.weights(), new Float64Array(objective.free.size));

describe.each(smallProblems)('exponentiated gradient on $name', problem => {
  const made = make(problem);
  const done = run(made);
  const last = done.at(-1)!;
  const duals = done.map(({ objective, gradientNorm }) => objective - gradientNorm);

  it('closes the gap between primal and dual to 1e-4', () => {
    expect(last.ending).toBe('gap');
    expect(last.gradientNorm).toBeLessThanOrEqual(1e-4 * last.objective);
    expect(objectiveAt(made.objective)).toBe(last.objective);
    expect(done[0]!.gradientNorm).toBeGreaterThan(0.05 * done[0]!.objective);
  });

  it('has a dual that never falls, and no primal objective below it', { tags: 'slow' }, () => {
    for (let i = 1; i < duals.length; i += 1) {
      expect(duals[i]).toBeGreaterThanOrEqual(duals[i - 1]! - 1e-9);
    }
    for (const { gradientNorm } of done) expect(gradientNorm).toBeGreaterThanOrEqual(0);
  });

  it('comes to the objective that subgradient steps come to, which is above its dual', () => {
    const objective = objectiveOf(problem, { l2, loss: hingeLoss });
    const options = sgd.options.parse({ l2, eta0: 1, average: true, averageAfter: 100 });
    const online = new OnlinePasses(objective, {
      create: context => sgd.create(options, context),
      sentences: 1,
    });
    for (let pass = 1; pass <= 400; pass += 1) online.pass(pass);
    const value = objectiveAt(objective);
    expect(value).toBeGreaterThanOrEqual(duals.at(-1)! - 1e-9);
    expect(Math.abs(value - last.objective)).toBeLessThan(1e-2 * value);
  });

  it('resumes from a saved state to the same bytes', { tags: 'slow' }, () => {
    const first = make(problem);
    for (let i = 0; i < 5; i += 1) first.trainer.iterate();
    const second = make(problem);
    second.trainer.restore(structuredClone(first.trainer.save()));
    for (let i = 5; i < 13; i += 1) {
      expect(second.trainer.iterate()).toEqual(first.trainer.iterate());
    }
    expect(second.trainer.save()).toEqual(first.trainer.save());
    expect(second.objective.weights()).toEqual(first.objective.weights());
  });
});

it('asks for the hinge loss', () => {
  expect(eg.needs!({} as EgOptions, hingeLoss)).toBeUndefined();
  expect(eg.needs!({} as EgOptions, { ...hingeLoss, name: 'log' })).toBe('hinge');
});

describe.each(smallProblems)('exponentiated gradient in batch on $name', problem => {
  it('comes to the optimum of steps of single sentences, by a dual that never falls', {
    tags: 'slow',
  }, () => {
    const done = run(make(problem, { update: 'batch' }), 20000);
    const last = done.at(-1)!;
    expect(last.ending).toBe('gap');
    const other = run(make(problem)).at(-1)!;
    const apart = Math.abs(last.objective - other.objective);
    expect(apart).toBeLessThanOrEqual(last.gradientNorm + other.gradientNorm);
    const duals = done.map(({ objective, gradientNorm }) => objective - gradientNorm);
    for (let i = 1; i < duals.length; i += 1) {
      expect(duals[i]).toBeGreaterThanOrEqual(duals[i - 1]! - 1e-9);
    }
  });

  it('resumes from a saved state to the same bytes', () => {
    const whole = make(problem, { update: 'batch' });
    const expected = run(whole, 12).slice(4);
    const first = make(problem, { update: 'batch' });
    run(first, 4);
    const second = make(problem, { update: 'batch' });
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 8)).toEqual(expected);
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });
});
