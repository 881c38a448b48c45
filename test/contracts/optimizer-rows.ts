import { jointLoss } from '../../src/engine/losses/joint-loss.js';
import { logLoss } from '../../src/engine/losses/log-loss.js';
import type { Loss } from '../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../src/engine/losses/perceptron-loss.js';
import type { ModelSpec } from '../../src/engine/models/model-spec.js';
import { withDefaults } from '../engine/optimizers/with-defaults.js';

/** One optimizer with options: what every optimizer promises is checked for each row. */
export interface OptimizerRow {
  readonly name: string;
  readonly variant: string;
  readonly loss: Loss;
  readonly options: Readonly<Record<string, unknown>>;
  /** Options under which what is learned does not depend on how long training has run; absent where there are none. */
  readonly timeless?: Readonly<Record<string, unknown>>;
  /** What its model is made of, where it is not of the usual templates. */
  readonly spec?: Partial<ModelSpec>;
  /** Whether it adds up what does not depend on weights: then neither order nor minibatches matter. Needs float64. */
  readonly counts?: boolean;
  /** The penalty of the objective for one weight; absent where errors are what counts. */
  readonly penalty?: (weight: number) => number;
}

const half = (weight: number) => 0.5 * weight * weight;
const constant = { schedule: 'constant' };
const special: readonly OptimizerRow[] = [
  {
    name: 'sgd',
    variant: 'plain',
    loss: logLoss,
    options: {},
    timeless: constant,
    penalty: half,
  },
  {
    name: 'sgd',
    variant: 'averaged',
    loss: logLoss,
    options: { average: true, averageAfter: 0.3 },
    timeless: { ...constant, average: true, averageAfter: 0 },
    penalty: half,
  },
  {
    name: 'sgd',
    variant: 'averaged, of a scale that is multiplied in',
    loss: logLoss,
    options: { average: true, averageAfter: 0, eta0: 0.5, schedule: 'constant', l2: 12 },
    timeless: { average: true, averageAfter: 0, eta0: 0.5, schedule: 'constant', l2: 12 },
    penalty: weight => 12 * weight * weight,
  },
  {
    name: 'sgd-l1',
    variant: 'plain',
    loss: logLoss,
    options: {},
    timeless: constant,
    penalty: Math.abs,
  },
  {
    name: 'sgd-l1',
    variant: 'clipping',
    loss: logLoss,
    options: { penalty: 'clipping' },
    timeless: { ...constant, penalty: 'clipping' },
    penalty: Math.abs,
  },
  {
    name: 'sgd-l1',
    variant: 'naive',
    loss: logLoss,
    options: { penalty: 'naive' },
    timeless: { ...constant, penalty: 'naive' },
    penalty: Math.abs,
  },
  {
    name: 'sgd-l1',
    variant: 'with L2',
    loss: logLoss,
    options: { l1: 0.5, l2: 0.3 },
    timeless: { ...constant, l1: 0.5, l2: 0.3 },
    penalty: weight => 0.5 * Math.abs(weight) + 0.3 * weight * weight,
  },
  {
    name: 'perceptron',
    variant: 'averaged',
    loss: perceptronLoss,
    options: {},
    timeless: {},
  },
  {
    name: 'perceptron',
    variant: 'plain',
    loss: perceptronLoss,
    options: { average: false },
    timeless: { average: false },
  },
  {
    name: 'voted-perceptron',
    variant: 'of few voters',
    loss: perceptronLoss,
    options: { voters: 4 },
    timeless: {},
  },
  {
    name: 'adagrad',
    variant: 'with L2',
    loss: logLoss,
    options: {},
    timeless: {},
    penalty: half,
  },
  {
    name: 'adagrad',
    variant: 'with L1 and L2',
    loss: logLoss,
    options: { l1: 0.5, l2: 0.1, eta0: 1, delta: 1 },
    timeless: { l1: 0.5, l2: 0.1, eta0: 1, delta: 1 },
    penalty: weight => 0.5 * Math.abs(weight) + 0.1 * weight * weight,
  },
  {
    name: 'adagrad',
    variant: 'of divided values',
    loss: logLoss,
    options: { normalized: true },
    timeless: { normalized: true },
  },
  {
    name: 'adagrad',
    variant: 'by dual averaging',
    loss: logLoss,
    options: { update: 'dual-averaging', l1: 0.2, l2: 0.1, eta0: 1, delta: 1 },
    // A penalty asks for gradients of all sentences so far.
    timeless: { update: 'dual-averaging', l1: 0, l2: 0 },
    penalty: weight => 0.2 * Math.abs(weight) + 0.1 * weight * weight,
  },
  { name: 'smd', variant: 'by default', loss: logLoss, options: {}, timeless: {}, penalty: half },
  {
    name: 'passive-aggressive',
    variant: 'PA-I, averaged',
    loss: perceptronLoss,
    options: {},
    timeless: {},
  },
  {
    name: 'passive-aggressive',
    variant: 'PA',
    loss: perceptronLoss,
    options: { variant: 'pa' },
    timeless: { variant: 'pa' },
  },
  {
    name: 'passive-aggressive',
    variant: 'PA-II, not averaged',
    loss: perceptronLoss,
    options: { variant: 'pa-2', aggressiveness: 0.1, average: false },
    timeless: { variant: 'pa-2', aggressiveness: 0.1, average: false },
  },
  {
    name: 'sgd',
    variant: 'averaged over a window',
    loss: logLoss,
    options: { average: { window: 7 } },
    timeless: { ...constant, average: { window: 7 } },
    penalty: half,
  },
  {
    name: 'perceptron',
    variant: 'averaged over a window',
    loss: perceptronLoss,
    options: { average: { window: 7 } },
    timeless: { average: { window: 7 } },
  },
  {
    name: 'passive-aggressive',
    variant: 'averaged over a window',
    loss: perceptronLoss,
    options: { average: { window: 7 } },
    timeless: { average: { window: 7 } },
  },
  {
    name: 'arow',
    variant: 'averaged over a window',
    loss: perceptronLoss,
    options: { average: { window: 7 } },
    timeless: { average: { window: 7 } },
  },
  { name: 'arow', variant: 'plain', loss: perceptronLoss, options: {}, timeless: {} },
  {
    name: 'counts',
    variant: 'of words and numbers',
    loss: jointLoss,
    options: { minCount: 1 },
    spec: { scorer: 'hmm', templates: 'U0:%x[0,0]\nU1:%suffix[0,0,1]\nU2:%v[0,n]\nB' },
    counts: true,
  },
  {
    name: 'counts',
    variant: 'of words and densities with covariances',
    loss: jointLoss,
    options: { minCount: 1 },
    spec: {
      ...{ scorer: 'hmm', covariance: 'full' },
      templates: 'U0:%x[0,0]\nU2:%v[0,n]\nU3:%v[0,m]\nB',
    },
    counts: true,
  },
  {
    name: 'stepwise-em',
    variant: 'of words and numbers',
    loss: jointLoss,
    options: { minCount: 1 },
    spec: { scorer: 'hmm', templates: 'U0:%x[0,0]\nU1:%suffix[0,0,1]\nU2:%v[0,n]\nB' },
    counts: true,
  },
];

/** What optimizers can be told; those without a row of their own come with their defaults. */
export const rows: readonly OptimizerRow[] = withDefaults(
  special,
  ({ name }) => name,
  ({ name, losses }) => ({
    name,
    variant: 'by default',
    loss: losses === undefined ? logLoss : perceptronLoss,
    options: {},
    timeless: {},
  }),
);
