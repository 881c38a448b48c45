import { exponentialLoss } from './exponential-loss.js';
import { hingeLoss } from './hinge-loss.js';
import { jointLoss } from './joint-loss.js';
import { localLogLoss } from './local-log-loss.js';
import { logLoss } from './log-loss.js';
import type { Loss } from './loss.js';
import { perceptronLoss } from './perceptron-loss.js';
import { pointwiseExponentialLoss } from './pointwise/pointwise-exponential-loss.js';
import { pointwiseLogLoss } from './pointwise/pointwise-log-loss.js';
import { softmaxMarginLoss } from './softmax-margin.js';

/** Every loss that pipeline files can name, with default options. */
export const losses: readonly Loss[] = [
  logLoss,
  localLogLoss,
  exponentialLoss,
  pointwiseLogLoss,
  pointwiseExponentialLoss,
  softmaxMarginLoss,
  hingeLoss,
  perceptronLoss,
  jointLoss,
];
