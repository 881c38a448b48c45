import { describe, expect, it } from 'vitest';
import { Lbfgs, lbfgs } from '../../src/trainers/lbfgs.js';
import type { Objective } from '../../src/trainers/objective.js';
import { OwlQn, owlQn } from '../../src/trainers/owl-qn.js';
import { pseudoGradient } from '../../src/trainers/pseudo-gradient.js';
import type { Iteration, Trainer } from '../../src/trainers/trainer.js';
import { norm } from '../../src/trainers/vectors/norm.js';
import { objectiveOf, smallProblems } from './small-problem.js';

const exact = { tolerance: 1e-9, decrease: 0 };

function run(trainer: Trainer, most = 500): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

const l = (objective: Objective, more = {}) =>
  new Lbfgs(lbfgs.options.parse({ ...exact, ...more }), objective);
const o = (objective: Objective, more = {}) =>
  new OwlQn(owlQn.options.parse({ ...exact, ...more }), objective);

describe.each(smallProblems)('$name', problem => {
  it('has the gradient of central differences', () => {
    const objective = objectiveOf(problem);
    const weights = objective.weights().map((_, i) => Math.sin(i));
    const gradient = new Float64Array(weights.length);
    const nothing = new Float64Array(weights.length);
    objective.evaluate(weights, gradient);
    for (let i = 0; i < weights.length; i += 1) {
      const h = 1e-5;
      const up = weights.slice();
      const down = weights.slice();
      up[i]! += h;
      down[i]! -= h;
      const slope = (objective.evaluate(up, nothing) - objective.evaluate(down, nothing)) / (2 * h);
      expect(Math.abs(slope - gradient[i]!)).toBeLessThan(1e-6);
    }
  });

  it('L-BFGS ends where the gradient is zero, and never goes up', () => {
    const objective = objectiveOf(problem);
    const iterations = run(l(objective));
    expect(['gradient', 'precision']).toContain(iterations.at(-1)!.ending);
    const gradient = new Float64Array(objective.free.size);
    const value = objective.evaluate(objective.weights(), gradient);
    expect(value).toBeCloseTo(iterations.at(-1)!.objective, 12);
    expect(norm(gradient)).toBeLessThan(1e-6);
    for (let i = 1; i < iterations.length; i += 1) {
      expect(iterations[i]!.objective).toBeLessThanOrEqual(iterations[i - 1]!.objective);
    }
  });

  it('OWL-QN without L1 comes to the same as L-BFGS', () => {
    const ours = run(o(objectiveOf(problem), { l1: 0 })).at(-1)!;
    const theirs = run(l(objectiveOf(problem))).at(-1)!;
    const difference = Math.abs(ours.objective - theirs.objective);
    expect(difference / theirs.objective).toBeLessThan(1e-10);
  });

  it('OWL-QN ends where zero is a subgradient', () => {
    const objective = objectiveOf(problem, { l2: 0.1 });
    const last = run(o(objective, { l1: 0.5 })).at(-1)!;
    const weights = objective.weights();
    const gradient = new Float64Array(weights.length);
    objective.evaluate(weights, gradient);
    const slopes = new Float64Array(weights.length);
    pseudoGradient(weights, gradient, 0.5, slopes);
    expect(norm(slopes)).toBeLessThan(1e-6);
    expect(last.active).toBeLessThan(weights.length);
    expect(last.active).toBeGreaterThan(0);
  });

  it('goes on from a saved state to the same bytes', () => {
    for (const make of [l, o]) {
      const whole = make(objectiveOf(problem));
      const first = make(objectiveOf(problem));
      for (let i = 0; i < 4; i += 1) first.iterate();
      const second = make(objectiveOf(problem));
      second.restore(structuredClone(first.save()));
      const expected = run(whole).slice(4);
      expect(run(second)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(1);
    }
  });
});
