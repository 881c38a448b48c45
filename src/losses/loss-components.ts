import { exponential, pointwiseExponential } from './exponential-components.js';
import { type LossComponent, lossWithoutOptions } from './loss-component.js';
import { losses } from './losses.js';
import { softmaxMargin } from './softmax-margin-loss.js';

/** Losses that have options; all others are the same wherever they are named. */
const withOptions: readonly unknown[] = [exponential, pointwiseExponential, softmaxMargin];

/** Every loss as a component, in the order of `losses`. */
export const lossComponents = losses.map(
  loss =>
    (withOptions as readonly LossComponent<never>[]).find(({ name }) => name === loss.name) ??
    lossWithoutOptions(loss),
) as readonly unknown[] as readonly LossComponent<never>[];
