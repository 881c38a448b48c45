import { TagstreamError } from '../../core/errors.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { Model } from '../model.js';

/**
 * Refuses optimizers that go over rows of weights or residuals themselves, where a model stores single pairs or prunes
 * labels.
 *
 * @throws TagstreamError `config`
 */
export function requireSinglePairs(
  { spec }: Pick<Model, 'spec'>,
  { name, singlePairs }: Pick<OptimizerComponent<never>, 'name' | 'singlePairs'>,
): void {
  if (singlePairs === true) return;
  const setting = spec.compressed === true ? 'compressed' : 'prune';
  if (spec[setting] === undefined) return;
  const needed = setting === 'compressed' ? 'weights in rows' : 'all labels of a token';
  throw new TagstreamError('config', `the optimizer ${name} needs ${needed}`, {
    fix: `use sgd or perceptron, or leave ${setting} out`,
  });
}
