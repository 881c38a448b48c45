import { TagstreamError } from '../../../core/errors.js';
import type { Mixing, Optimizer } from '../../../optimizers/optimizer.js';

/**
 * How an optimizer takes part in parameter mixing.
 *
 * @throws TagstreamError `config` where it does not
 */
export function mixingOf(optimizer: Optimizer): Mixing {
  if (optimizer.mixing === undefined) {
    const problem = `the weights of the optimizer ${optimizer.name} cannot be mixed: they are not all that it learns`;
    throw new TagstreamError('config', problem, {
      fix: 'use sgd, sgd-l1, adagrad, perceptron, passive-aggressive or arow, or leave train.cluster out',
    });
  }
  if (optimizer.rightInARow !== undefined) {
    const problem = `the optimizer ${optimizer.name} cannot count the mistakes of a pass that shards share`;
    throw new TagstreamError('config', problem, { fix: 'leave out untilSeparated' });
  }
  return optimizer.mixing();
}
