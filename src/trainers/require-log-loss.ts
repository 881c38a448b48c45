import { TagstreamError } from '../core/errors.js';
import type { Objective } from './objective.js';

/**
 * For trainers that read marginals out of the residuals of the log loss.
 *
 * @throws TagstreamError `config` if the objective has another loss
 */
export function requireLogLoss(trainer: string, { loss }: Objective): void {
  if (loss.name === 'log') return;
  throw new TagstreamError('config', `${trainer} does not go with the loss ${loss.name}`, {
    fix: 'use loss: log, or a trainer for any smooth loss, such as lbfgs or owl-qn',
  });
}
