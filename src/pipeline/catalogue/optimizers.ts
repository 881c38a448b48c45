import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { perceptron } from '../../optimizers/perceptron.js';
import { sgd } from '../../optimizers/sgd.js';
import { sgdL1 } from '../../optimizers/sgd-l1.js';

/** Every optimizer that a pipeline file can name. */
export const optimizers = [
  sgd,
  sgdL1,
  perceptron,
] as readonly unknown[] as readonly OptimizerComponent<never>[];
