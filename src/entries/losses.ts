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
} from '../engine/losses/factories.js';
export { losses } from '../engine/losses/losses.js';

// types

export type { ExponentialLoss } from '../engine/losses/exponential-loss.js';
export type { Loss, LossContext } from '../engine/losses/loss.js';
export type { LossComponent } from '../engine/losses/loss-components.js';
export type { PointwiseExponentialLoss } from '../engine/losses/pointwise/pointwise-exponential-loss.js';
export type { SoftmaxMargin, SoftmaxMarginOptions } from '../engine/losses/softmax-margin.js';
