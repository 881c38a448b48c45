import * as z from 'zod';
import { ExponentialLoss, exponentialLoss } from './exponential-loss.js';
import type { LossComponent } from './loss-component.js';
import {
  PointwiseExponentialLoss,
  pointwiseExponentialLoss,
} from './pointwise/pointwise-exponential-loss.js';
import { largestBound } from './residuals/bounded-exponential.js';

/** Options of the exponential losses in a pipeline file. */
export const exponentialOptions = z.strictObject({
  bound: z
    .number()
    .positive()
    .max(largestBound)
    .default(10)
    .describe(
      'log loss from which on the loss is linear; 500: unbounded, as far as float64 goes (60 in float32)',
    ),
});

type Options = z.infer<typeof exponentialOptions>;

/** `ExponentialLoss` as pipeline files name it. */
export const exponential: LossComponent<Options> = {
  name: exponentialLoss.name,
  summary: exponentialLoss.summary,
  example: exponentialLoss.example,
  options: exponentialOptions,
  create: ({ bound }) => (bound === 10 ? exponentialLoss : new ExponentialLoss({ bound })),
};

/** `PointwiseExponentialLoss` as pipeline files name it. */
export const pointwiseExponential: LossComponent<Options> = {
  name: pointwiseExponentialLoss.name,
  summary: pointwiseExponentialLoss.summary,
  example: pointwiseExponentialLoss.example,
  options: exponentialOptions,
  create: ({ bound }) =>
    bound === 10 ? pointwiseExponentialLoss : new PointwiseExponentialLoss({ bound }),
};
