import { describe, expect, it } from 'vitest';
import type { Iteration, Trainer } from '../../../src/core/training/trainer.js';
import { exponentialLoss } from '../../../src/losses/exponential-loss.js';
import { sequenceBoosting } from '../../../src/trainers/boosting/sequence-boosting.js';
import { lbfgs } from '../../../src/trainers/lbfgs/lbfgs.js';
import type { Objective } from '../../../src/trainers/objective.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../small-problem.js';

function boosting(
  problem: SmallProblem,
  most = 1,
  overlap = false,
): { trainer: Trainer; objective: Objective } {
  const objective = objectiveOf(problem, { loss: exponentialLoss, l2: 0 });
  const options = sequenceBoosting.options.parse({
    ...{ weights: most, overlap, tolerance: 1e-9, decrease: 0 },
  });
  return { trainer: sequenceBoosting.create(options, { objective: () => objective }), objective };
}

function iterations(trainer: Trainer, count: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < count && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

/** The sentences whose loss a weight changes. */
function sentencesOf(objective: Objective, k: number): number[] {
  const weights = objective.weights();
  const [gradient, losses, others] = [
    new Float64Array(weights.length),
    new Float64Array(12),
    new Float64Array(12),
  ];
  objective.evaluate(weights, gradient, losses);
  const moved = weights.slice();
  moved[k]! += 0.1;
  objective.evaluate(moved, gradient, others);
  objective.place(weights);
  return [...losses.keys()].filter(s => losses[s] !== others[s]);
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

  it('falls in every iteration, by weights whose features share no sentence', () => {
    const { trainer, objective } = boosting(problem, 4);
    let before = objective.weights();
    let last = objective.evaluate(before, new Float64Array(before.length));
    let several = 0;
    for (let i = 0; i < 100; i += 1) {
      const { objective: value, ending } = trainer.iterate();
      const after = objective.weights();
      const changed = [...after.keys()].filter(k => after[k] !== before[k]);
      if (ending !== undefined) break;
      expect(value).toBeLessThan(last);
      expect(changed.length).toBeGreaterThan(0);
      expect(changed.length).toBeLessThanOrEqual(4);
      if (changed.length > 1) several += 1;
      const seen = changed.flatMap(k => sentencesOf(objective, k));
      expect(new Set(seen).size).toBe(seen.length);
      last = value;
      before = after;
    }
    // Of the words around, none is without another in a sentence.
    expect(several > 0).toBe(problem.name !== 'words around');
  });

  it('falls in every iteration, and faster, by weights whose features share sentences', () => {
    const { trainer, objective } = boosting(problem, 8, true);
    let last = Number.POSITIVE_INFINITY;
    let before = objective.weights();
    let shared = 0;
    for (let i = 0; i < 40; i += 1) {
      const { objective: value, ending } = trainer.iterate();
      if (ending !== undefined) break;
      expect(value).toBeLessThan(last);
      const after = objective.weights();
      const changed = [...after.keys()].filter(k => after[k] !== before[k]);
      expect(changed.length).toBeLessThanOrEqual(8);
      if (i < 3) {
        const seen = changed.flatMap(k => sentencesOf(objective, k));
        shared += seen.length - new Set(seen).size;
      }
      expect(objective.evaluate(after, new Float64Array(after.length))).toBe(value);
      before = after;
      last = value;
    }
    expect(shared).toBeGreaterThan(0);
    const apart = iterations(boosting(problem, 8).trainer, 40);
    expect(last).toBeLessThan(apart.at(-1)!.objective);
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

  it.each([
    [1, false],
    [8, true],
  ])('resumes from a saved state to the same bytes: %i weights, overlap %s', (most, overlap) => {
    const whole = boosting(problem, most, overlap);
    const first = boosting(problem, most, overlap);
    iterations(first.trainer, 6);
    const second = boosting(problem, most, overlap);
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
    'the optimizer boosting does not support the loss log',
  );
});
