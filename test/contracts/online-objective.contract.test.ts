import { describe, expect, it } from 'vitest';
import { optimizers } from '../../src/engine/optimizers/optimizers.js';
import { softThreshold } from '../../src/engine/trainers/descent/coordinate-descent.js';
import { lbfgs } from '../../src/engine/trainers/lbfgs/lbfgs.js';
import { owlQn } from '../../src/engine/trainers/lbfgs/owl-qn.js';
import type { Objective } from '../../src/engine/trainers/objective.js';
import { OnlinePasses } from '../../src/engine/trainers/switching/online-passes.js';
import type { TrainerComponent } from '../../src/engine/trainers/trainer-component.js';
import { norm, norm1 } from '../../src/engine/trainers/vectors/vectors.js';
import { objectiveOf, type SmallProblem, smallProblems } from '../engine/trainers/small-problem.js';
import { everyNth } from '../house/long-forms.js';

const inverse = { eta0: 2, schedule: 'inverse' } as const;

/** Each online optimizer of a convex objective, set to come as near to the minimum as it can. */
const rows = [
  { name: 'sgd', options: { eta0: 1 }, l1: 0, l2: 0.5, passes: 80 },
  {
    name: 'sgd',
    options: { eta0: 1, average: true, averageAfter: 30 },
    l1: 0,
    l2: 0.5,
    passes: 80,
  },
  { name: 'adagrad', options: { eta0: 0.5 }, l1: 0, l2: 0.5, passes: 150 },
  { name: 'adagrad', options: { eta0: 0.2 }, l1: 0.5, l2: 0.1, passes: 600 },
  { name: 'smd', options: { eta0: 0.01, mu: 0.05 }, l1: 0, l2: 0.5, passes: 200 },
  { name: 'sgd-l1', options: inverse, l1: 0.5, l2: 0, passes: 500 },
  { name: 'sgd-l1', options: inverse, l1: 0.5, l2: 0.1, passes: 150 },
] as const;

/**
 * The objective at the present weights, and how far |w - S(w - g, l1)| they are from the optimality conditions: it is
 * zero just where zero is a subgradient, and small near there, which the subgradient itself is not.
 */
function measured(objective: Objective, l1: number): { value: number; slope: number } {
  const weights = objective.weights();
  const gradient = new Float64Array(weights.length);
  const value = objective.evaluate(weights, gradient) + l1 * norm1(weights);
  const left = weights.map((w, i) => w - softThreshold(w - gradient[i]!, l1));
  return { value, slope: norm(left) };
}

function minimum(problem: SmallProblem, { l1, l2 }: { l1: number; l2: number }): number {
  const objective = objectiveOf(problem, { l2 });
  const component = (l1 === 0 ? lbfgs : owlQn) as unknown as TrainerComponent<never>;
  const penalties = l1 === 0 ? { l2 } : { l1, l2 };
  const options = component.options.parse({ ...penalties, tolerance: 1e-8, decrease: 0 });
  const trainer = component.create(options as never, { objective: () => objective });
  while (trainer.iterate().ending === undefined);
  return measured(objective, l1).value;
}

describe.each(rows)('$name $options with l1 $l1 and l2 $l2', row => {
  const { name, options, l1, l2, passes } = row;
  for (const { rows, tags } of everyNth(4, smallProblems)) {
    it.each(rows)('comes to the minimum of $name within a thousandth', { tags }, problem => {
      const objective = objectiveOf(problem, { l2 });
      const before = measured(objective, l1);
      const component = optimizers.find(each => each.name === name)!;
      const accepted = component.options.safeParse({ l1, l2 }).success;
      const given = { ...options, ...(accepted ? { l1, l2 } : { l2 }) };
      const chosen = component.options.parse(given) as never;
      const online = new OnlinePasses(objective, {
        create: context => component.create(chosen, context),
        sentences: 1,
      });
      for (let pass = 1; pass <= passes; pass += 1) online.pass(pass);
      const { value, slope } = measured(objective, l1);
      const best = minimum(problem, { l1, l2 });
      expect(value).toBeGreaterThanOrEqual(best * (1 - 1e-9));
      expect(value - best).toBeLessThan(1e-3 * best);
      // Zero is as good as a subgradient there.
      expect(slope).toBeLessThan(0.02 * before.slope);
    });
  }
});
