import { describe, expect, it } from 'vitest';
import type { Iteration, Trainer } from '../../src/core/trainer.js';
import { exponentialLoss } from '../../src/losses/exponential-loss.js';
import { lbfgs } from '../../src/trainers/lbfgs.js';
import type { Objective } from '../../src/trainers/objective.js';
import { sequenceBoosting } from '../../src/trainers/sequence-boosting.js';
import { objectiveOf, type SmallProblem, smallProblems } from './small-problem.js';

function boosting(problem: SmallProblem): { trainer: Trainer; objective: Objective } {
  const objective = objectiveOf(problem, { loss: exponentialLoss, l2: 0 });
  const options = sequenceBoosting.options.parse({ tolerance: 1e-9, decrease: 0 });
  return { trainer: sequenceBoosting.create(options, { objective: () => objective }), objective };
}

function iterations(trainer: Trainer, count: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < count && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

describe.each(smallProblems)('sequence boosting: $name', problem => {
  it('falls in every iteration, by one weight', () => {
    const { trainer, objective } = boosting(problem);
    let before = objective.weights();
    let last = objective.evaluate(before, new Float64Array(before.length));
    for (let i = 0; i < 200; i += 1) {
      const { objective: value, ending } = trainer.iterate();
      const after = objective.weights();
      expect(after.filter((weight, k) => weight !== before[k])).toHaveLength(ending ? 0 : 1);
      if (ending !== undefined) break;
      expect(value).toBeLessThan(last);
      expect(objective.evaluate(after, new Float64Array(after.length))).toBe(value);
      last = value;
      before = after;
    }
  });

  it('comes near the infimum that L-BFGS finds', () => {
    const { trainer } = boosting(problem);
    const done = iterations(trainer, 1500);
    const other = objectiveOf(problem, { loss: exponentialLoss, l2: 0 });
    const options = lbfgs.options.parse({ l2: 0, decrease: 0, tolerance: 1e-6 });
    const best = iterations(lbfgs.create(options, { objective: () => other }), 1000);
    const infimum = best.at(-1)!.objective;
    expect(done.at(-1)!.objective).toBeGreaterThan(infimum * (1 - 1e-6) - 1e-6);
    expect(done.at(-1)!.objective - infimum).toBeLessThan(0.02 * done[0]!.objective);
  });

  it('goes on from a saved state to the same bytes', () => {
    const whole = boosting(problem);
    const first = boosting(problem);
    iterations(first.trainer, 6);
    const second = boosting(problem);
    second.trainer.restore(structuredClone(first.trainer.save()));
    const expected = iterations(whole.trainer, 30).slice(6);
    expect(iterations(second.trainer, 24)).toEqual(expected);
    expect(second.objective.weights()).toEqual(whole.objective.weights());
    expect(expected.length).toBeGreaterThan(5);
  });
});

it('sequence boosting is for the exponential loss alone', () => {
  const objective = objectiveOf(smallProblems[0]);
  const options = sequenceBoosting.options.parse({});
  expect(() => sequenceBoosting.create(options, { objective: () => objective })).toThrow(
    'the optimizer boosting does not go with the loss log',
  );
});
