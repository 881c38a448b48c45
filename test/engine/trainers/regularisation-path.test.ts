import { describe, expect, it } from 'vitest';
import type { Iteration } from '../../../src/engine/core/training/trainer.js';
import { type OwlQnOptions, owlQn } from '../../../src/engine/trainers/lbfgs/owl-qn.js';
import { RegularisationPath } from '../../../src/engine/trainers/regularisation-path.js';
import { objectiveOf, smallProblems } from './small-problem.js';

const full = process.env.TAGSTREAM_FULL === '1';
const l1s = [6, 3, 1, 0.3, 0.05];
const exact = { tolerance: 1e-8, decrease: 0, l2: 0.1 };
const problem = smallProblems[1];

function pathOn(objective = objectiveOf(problem, { l2: 0.1 }), iterations?: number) {
  const create = (l1: number) =>
    owlQn.create(owlQn.options.parse({ ...exact, l1 }) as OwlQnOptions, {
      objective: () => objective,
    });
  return { path: new RegularisationPath({ l1: l1s, iterations, create }), objective };
}

function run({ path }: ReturnType<typeof pathOn>): Iteration[] {
  const done: Iteration[] = [];
  while (done.at(-1)?.ending === undefined) done.push(path.iterate());
  return done;
}

describe('a regularisation path', () => {
  const done = run(pathOn());
  const ends = done.filter(({ path }) => path!.ended);

  it('has a step for each penalty, which reports where it is', () => {
    expect(ends.map(({ path }) => path!.l1)).toEqual(l1s);
    expect(ends.map(({ path }) => [path!.step, path!.of])).toEqual(l1s.map((_, i) => [i + 1, 5]));
    expect(ends.reduce((sum, { path }) => sum + path!.iterations, 0)).toBe(done.length);
    expect(done.map(({ iteration }) => iteration)).toEqual(done.map((_, i) => i + 1));
    expect(done.filter(({ ending }) => ending !== undefined)).toHaveLength(1);
  });

  it('comes at each penalty to the minimum that a start from zero comes to', {
    tags: 'slow',
  }, () => {
    for (const [i, l1] of l1s.entries()) {
      const objective = objectiveOf(problem, { l2: 0.1 });
      const options = owlQn.options.parse({ ...exact, l1 }) as OwlQnOptions;
      const cold = owlQn.create(options, { objective: () => objective });
      let last = cold.iterate();
      while (last.ending === undefined) last = cold.iterate();
      expect(Math.abs(ends[i]!.objective - last.objective)).toBeLessThan(1e-9 * last.objective);
      expect(ends[i]!.active).toBe(last.active);
    }
  });

  it('has ever more active weights', () => {
    const active = ends.map(iteration => iteration.active);
    expect(active).toEqual([...active].sort((a, b) => a - b));
    expect(active[0]).toBeLessThan(active.at(-1)! / 2);
  });

  it('resumes from any state to the same iterations and weights', { tags: 'slow' }, () => {
    const whole = pathOn();
    run(whole);
    const first = pathOn();
    for (let cut = 1; cut < done.length; cut += 1) {
      first.path.iterate();
      if (!full && cut % 5 !== 1) continue;
      const second = pathOn();
      second.path.restore(structuredClone(first.path.save()));
      expect(run(second)).toEqual(done.slice(cut));
      expect(second.objective.weights()).toEqual(whole.objective.weights());
    }
    expect(done.length).toBeGreaterThan(20);
  });

  it('ends a step after its iterations at most', () => {
    const short = run(pathOn(undefined, 2));
    expect(short.map(({ path }) => path!.iterations)).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
    expect(short.at(-1)!.ending).toBe('iterations');
  });

  it('refuses a state of a longer path', { tags: 'slow' }, () => {
    const { path } = pathOn();
    path.iterate();
    const state = path.save();
    const longer = { ...state, json: { ...state.json, step: 5 } };
    expect(() => pathOn().path.restore(longer)).toThrow('the path has no such step');
  });
});
