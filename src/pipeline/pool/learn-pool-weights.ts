import type { Iteration } from '../../core/training/trainer.js';
import { Lbfgs } from '../../trainers/lbfgs/lbfgs.js';
import type { PoolObjective } from './pool-objective.js';

/** To the last digits: there are few weights, and each iteration costs one look at the held-out data. */
const stopping = { tolerance: 1e-7, decrease: 1e-12, period: 3 };

/** Far more than a convex function of a few weights needs. */
const mostIterations = 200;

/** Minimises the objective by L-BFGS, from the weights that it has; they are its weights afterwards. */
export function learnPoolWeights(objective: PoolObjective): Iteration {
  const trainer = new Lbfgs({ ...stopping, memory: 6 }, objective);
  let last = trainer.iterate();
  while (last.ending === undefined && last.iteration < mostIterations) last = trainer.iterate();
  return last;
}
