import { TagstreamError } from '../core/errors.js';
import { requireCapability } from '../inference/scorers/scorers.js';
import { requireStructure } from '../inference/structures/require-structure.js';
import type { Objective } from './objective.js';

/**
 * For trainers that read marginals out of the residuals of the log loss of linear scores.
 *
 * @throws TagstreamError `config` if the objective has another loss, or a scorer that is not linear
 */
export function requireLogLoss(trainer: string, { loss, parameters }: Objective): void {
  requireStructure(parameters.layout, 'single weights', `the optimizer ${trainer}`);
  requireCapability(parameters.layout.scorer, 'log-linear', `the optimizer ${trainer}`);
  if (loss.name === 'log') return;
  throw new TagstreamError('config', `${trainer} does not support the loss ${loss.name}`, {
    fix: 'use loss: log, or a trainer for any smooth loss, such as lbfgs or owl-qn',
  });
}
