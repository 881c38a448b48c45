import * as z from 'zod';
import type { Loss } from './loss.js';
import type { LossComponent } from './loss-component.js';
import { SoftmaxMargin, type SoftmaxMarginOptions } from './softmax-margin.js';

/** The softmax-margin loss in which each wrong label costs 1: see `SoftmaxMargin` for other costs. */
export const softmaxMarginLoss: Loss = new SoftmaxMargin();

const cost = z.number().min(0).max(1000).optional();

/** Options of `SoftmaxMargin` in a pipeline file. */
export const softmaxMarginOptions = z.strictObject({
  cost: cost.describe('cost of a wrong label; default: 1'),
  missCost: cost.describe('cost of O at a token of a span; default: cost'),
});

/** `SoftmaxMargin` as pipeline files name it. */
export const softmaxMargin: LossComponent<Pick<SoftmaxMarginOptions, 'cost' | 'missCost'>> = {
  name: softmaxMarginLoss.name,
  summary: softmaxMarginLoss.summary,
  example: softmaxMarginLoss.example,
  options: softmaxMarginOptions,
  create: ({ cost, missCost }, { outside }) => new SoftmaxMargin({ cost, missCost, outside }),
};
