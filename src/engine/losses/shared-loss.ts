import { TagstreamError } from '../core/errors.js';
import { ExponentialLoss } from './exponential-loss.js';
import type { Loss, SharedLoss } from './loss.js';
import type { LossComponent } from './loss-components.js';
import { losses } from './losses.js';
import { PointwiseExponentialLoss } from './pointwise/pointwise-exponential-loss.js';
import { SoftmaxMargin } from './softmax-margin.js';

/** Returns a loss in transferable form; undefined if it is not in `losses` and has no `shared` data. */
export function sharedLoss(loss: Loss): SharedLoss | undefined {
  if (loss instanceof SoftmaxMargin) return { name: loss.name, costs: loss.costs() };
  if (loss instanceof ExponentialLoss || loss instanceof PointwiseExponentialLoss) {
    return { name: loss.name, bound: loss.bound };
  }
  return loss.shared?.() ?? (losses.includes(loss) ? { name: loss.name } : undefined);
}

/**
 * Recreates a shared loss.
 *
 * @param components the plug-in components that the thread itself has loaded
 * @throws TagstreamError `config` if the loss is not one of them
 */
export function receivedLoss(
  { name, costs, bound, options, outside = -1 }: SharedLoss,
  components: readonly LossComponent<never>[] = [],
): Loss {
  if (options !== undefined) {
    const component = components.find(each => each.name === name);
    if (component !== undefined)
      return component.create(options as never, { outside: () => outside });
    throw new TagstreamError('config', `a worker does not know the loss ${name}`, {
      fix: 'list the plug-in that defines it under use, by its package or file',
    });
  }
  if (bound !== undefined) {
    const Made = name === 'exponential' ? ExponentialLoss : PointwiseExponentialLoss;
    return new Made({ bound });
  }
  if (costs === undefined) return losses.find(loss => loss.name === name)!;
  const { wrong, missed, outside: number } = costs;
  return new SoftmaxMargin({ cost: wrong, missCost: missed, outside: () => number });
}
