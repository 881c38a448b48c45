import { TagstreamError } from '../../core/errors.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { Model } from '../model.js';

/**
 * Refuses optimizers that go over rows of weights themselves, where a model stores single pairs.
 *
 * @throws TagstreamError `config`
 */
export function requireSinglePairs(
  { spec }: Pick<Model, 'spec'>,
  { name, singlePairs }: Pick<OptimizerComponent<never>, 'name' | 'singlePairs'>,
): void {
  if (spec.compressed !== true || singlePairs === true) return;
  throw new TagstreamError('config', `the optimizer ${name} needs weights in rows`, {
    fix: 'use sgd or perceptron, or leave compressed out',
  });
}
