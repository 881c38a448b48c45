import { exponentialLoss } from '../../losses/exponential-loss.js';
import { hingeLoss } from '../../losses/hinge-loss.js';
import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { perceptronLoss } from '../../losses/perceptron-loss.js';
import { pointwiseExponentialLoss } from '../../losses/pointwise-exponential-loss.js';
import { pointwiseLogLoss } from '../../losses/pointwise-log-loss.js';

/** Every loss that a pipeline file can name. */
export const losses: readonly Loss[] = [
  logLoss,
  exponentialLoss,
  pointwiseLogLoss,
  pointwiseExponentialLoss,
  hingeLoss,
  perceptronLoss,
];
