import type { Loss } from './loss.js';
import { SoftmaxMargin } from './softmax-margin.js';

/** The softmax-margin loss in which each wrong label costs 1: see `SoftmaxMargin` for other costs. */
export const softmaxMarginLoss: Loss = new SoftmaxMargin();
