import * as z from 'zod';
import type { Component } from '../core/component.js';
import { ExponentialLoss, exponentialLoss } from './exponential-loss.js';
import type { Loss, LossContext } from './loss.js';
import { losses } from './losses.js';
import {
  PointwiseExponentialLoss,
  pointwiseExponentialLoss,
} from './pointwise/pointwise-exponential-loss.js';
import { largestBound } from './residuals/bounded-exponential.js';
import { SoftmaxMargin, softmaxMarginLoss } from './softmax-margin.js';

const exponentialOptions = z.strictObject({
  bound: z
    .number()
    .positive()
    .max(largestBound)
    .default(10)
    .describe(
      'log loss above which the loss is linear; 300: effectively unbounded in float64 (60 in float32)',
    ),
});

const cost = z.number().min(0).max(1000).optional();

const softmaxMarginOptions = z.strictObject({
  cost: cost.describe('cost of a wrong label; default: 1'),
  missCost: cost.describe('cost of predicting O inside a span; default: cost'),
});

/**
 * Returns the component of a loss with its default options, including the loss's name and texts.
 */
function of<Options>(
  { name, summary, example }: Loss,
  options: z.ZodType<Options>,
  create: LossComponent<Options>['create'],
): LossComponent<Options> {
  return { name, summary, example, options, create };
}

/** Losses with options; all others need only one instance. */
const withOptions = [
  of(exponentialLoss, exponentialOptions, ({ bound }) =>
    bound === 10 ? exponentialLoss : new ExponentialLoss({ bound }),
  ),
  of(pointwiseExponentialLoss, exponentialOptions, ({ bound }) =>
    bound === 10 ? pointwiseExponentialLoss : new PointwiseExponentialLoss({ bound }),
  ),
  of(
    softmaxMarginLoss,
    softmaxMarginOptions,
    ({ cost, missCost }, { outside }) => new SoftmaxMargin({ cost, missCost, outside }),
  ),
] as readonly unknown[] as readonly LossComponent<never>[];

/** All losses as components, in the order of `losses`. */
export const lossComponents = losses.map(
  loss => withOptions.find(({ name }) => name === loss.name) ?? lossWithoutOptions(loss),
) as readonly unknown[] as readonly LossComponent<never>[];

/** The component of a loss that pipeline files name: its options and its constructor. */
export type LossComponent<Options> = Component<Options, LossContext, Loss>;

/** Returns the component of a loss that has no options. */
export function lossWithoutOptions(loss: Loss): LossComponent<Record<string, never>> {
  const { name, summary, example } = loss;
  const create = (_: object, context: LossContext) => loss.inTraining?.(context) ?? loss;
  return { name, summary, example, options: z.strictObject({}), create };
}
