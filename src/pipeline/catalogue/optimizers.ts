import { adagrad } from '../../optimizers/adagrad.js';
import { arow } from '../../optimizers/arow.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { passiveAggressive } from '../../optimizers/passive-aggressive.js';
import { perceptron } from '../../optimizers/perceptron.js';
import { sgd } from '../../optimizers/sgd.js';
import { sgdL1 } from '../../optimizers/sgd-l1.js';

/** Every optimizer that a pipeline file can name. */
export const optimizers = [
  sgd,
  sgdL1,
  perceptron,
  adagrad,
  passiveAggressive,
  arow,
] as readonly unknown[] as readonly OptimizerComponent<never>[];
