import type { LabelCosts } from './label-costs.js';
import type { Loss } from './loss.js';
import { losses } from './losses.js';
import { SoftmaxMargin } from './softmax-margin.js';

/** A loss as plain data, from which another thread makes the same one. */
export interface SharedLoss {
  readonly name: string;
  readonly costs?: LabelCosts;
}

/** A loss for another thread; undefined where it is none of `losses`. */
export function sharedLoss(loss: Loss): SharedLoss | undefined {
  if (loss instanceof SoftmaxMargin) return { name: loss.name, costs: loss.costs() };
  return losses.includes(loss) ? { name: loss.name } : undefined;
}

/** The loss that was shared. */
export function receivedLoss({ name, costs }: SharedLoss): Loss {
  if (costs === undefined) return losses.find(loss => loss.name === name)!;
  const { wrong, missed, outside } = costs;
  return new SoftmaxMargin({ cost: wrong, missCost: missed, outside: () => outside });
}
