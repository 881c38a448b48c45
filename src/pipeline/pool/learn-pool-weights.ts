import type { Iteration } from '../../core/training/trainer.js';
import { Lbfgs } from '../../trainers/lbfgs/lbfgs.js';
import type { PoolObjective } from './pool-objective.js';

/** L-BFGS ends fast in so few dimensions: a step that gains less than 1e-10 of the loss is the last. */
const stopping = { tolerance: 1e-6, decrease: 1e-10, period: 1 };

/** Far more than a convex function of a few weights needs. */
const mostIterations = 200;

/** Minimises the objective by L-BFGS, from the weights that it has; they are its weights afterwards. */
export function learnPoolWeights(objective: PoolObjective): Iteration {
  const trainer = new Lbfgs({ ...stopping, memory: 6 }, objective);
  let last = trainer.iterate();
  while (last.ending === undefined && last.iteration < mostIterations) last = trainer.iterate();
  return last;
}
