// The entry `tagstream/losses`: factories of losses.

// losses

export {
  exponentialLoss,
  hingeLoss,
  jointLoss,
  localLogLoss,
  logLoss,
  perceptronLoss,
  pointwiseExponentialLoss,
  pointwiseLogLoss,
  softmaxMargin,
} from '../losses/factories.js';
export { losses } from '../losses/losses.js';

// types

export type { ExponentialLoss } from '../losses/exponential-loss.js';
export type { Loss, LossContext } from '../losses/loss.js';
export type { LossComponent } from '../losses/loss-components.js';
export type { PointwiseExponentialLoss } from '../losses/pointwise/pointwise-exponential-loss.js';
export type { SoftmaxMargin, SoftmaxMarginOptions } from '../losses/softmax-margin.js';
