import { logLoss } from '../../losses/log-loss.js';
import type { Loss } from '../../losses/loss.js';
import { perceptronLoss } from '../../losses/perceptron-loss.js';

/** Every loss that a pipeline file can name. */
export const losses: readonly Loss[] = [logLoss, perceptronLoss];
