import { adagrad } from './adagrad.js';
import { arow } from './arow.js';
import { counts } from './counts.js';
import type { OptimizerComponent } from './optimizer.js';
import { passiveAggressive } from './passive-aggressive.js';
import { perceptron } from './perceptron.js';
import { sgd } from './sgd.js';
import { sgdL1 } from './sgd-l1.js';
import { smd } from './smd.js';
import { stepwiseEm } from './stepwise-em.js';
import { votedPerceptron } from './voted-perceptron.js';

/** Every online optimizer that pipeline files and threads can name. */
export const optimizers = [
  sgd,
  sgdL1,
  perceptron,
  votedPerceptron,
  adagrad,
  smd,
  passiveAggressive,
  arow,
  counts,
  stepwiseEm,
] as readonly unknown[] as readonly OptimizerComponent<never>[];
