import { parseOptions } from '../core/schema/parse-options.js';
import { type AdagradOptions, adagrad as adagradComponent } from './adagrad.js';
import { type ArowOptions, arow as arowComponent } from './arow.js';
import { type CountsOptions, counts as countsComponent } from './counts.js';
import type { OnlineOptimizer, OptimizerComponent } from './optimizer.js';
import {
  type PassiveAggressiveOptions,
  passiveAggressive as passiveAggressiveComponent,
} from './passive-aggressive.js';
import { type PerceptronOptions, perceptron as perceptronComponent } from './perceptron.js';
import { type SgdOptions, sgd as sgdComponent } from './sgd.js';
import { type SgdL1Options, sgdL1 as sgdL1Component } from './sgd-l1.js';
import { type SmdOptions, smd as smdComponent } from './smd.js';
import { type StepwiseEmOptions, stepwiseEm as stepwiseEmComponent } from './stepwise-em.js';
import {
  type VotedPerceptronOptions,
  votedPerceptron as votedPerceptronComponent,
} from './voted-perceptron.js';

// Optimizers for programs, with the options described in `pipelines/README.md`. Each factory throws a TagstreamError
// `config` that names an invalid option.

/**
 * Returns an online optimizer after checking its options; defaults are filled in later because they may depend on the
 * run.
 */
function online<Options>(
  component: OptimizerComponent<Options>,
  options: Partial<Options>,
): OnlineOptimizer<Options> {
  parseOptions(component.options, options, component.name);
  return { kind: 'online', component, options };
}

/**
 * Returns stochastic gradient descent with L2, plain or averaged.
 *
 * @example
 * sgd({ eta0: 0.2 }).options // => { eta0: 0.2 }
 */
export function sgd(options: Partial<SgdOptions> = {}): OnlineOptimizer<SgdOptions> {
  return online(sgdComponent, options);
}

/** Returns stochastic gradient descent with L1 and L2, for sparse models. */
export function sgdL1(options: Partial<SgdL1Options> = {}): OnlineOptimizer<SgdL1Options> {
  return online(sgdL1Component, options);
}

/** Returns the averaged structured perceptron, Collins (2002). */
export function perceptron(
  options: Partial<PerceptronOptions> = {},
): OnlineOptimizer<PerceptronOptions> {
  return online(perceptronComponent, options);
}

/**
 * Returns the voted perceptron: the weights after each update vote, with as many votes as sentences they survived.
 */
export function votedPerceptron(
  options: Partial<VotedPerceptronOptions> = {},
): OnlineOptimizer<VotedPerceptronOptions> {
  return online(votedPerceptronComponent, options);
}

/** Returns AdaGrad, which adapts a step size for each weight, with L1 and L2. */
export function adagrad(options: Partial<AdagradOptions> = {}): OnlineOptimizer<AdagradOptions> {
  return online(adagradComponent, options);
}

/**
 * Returns stochastic meta-descent, with a learned gain for each weight and L2.
 *
 * @example
 * smd({ mu: 0.05 }).options // => { mu: 0.05 }
 */
export function smd(options: Partial<SmdOptions> = {}): OnlineOptimizer<SmdOptions> {
  return online(smdComponent, options);
}

/**
 * Returns the passive-aggressive optimizer (PA, PA-I, PA-II) with Hamming cost: each step is just as long as the
 * margin requires.
 */
export function passiveAggressive(
  options: Partial<PassiveAggressiveOptions> = {},
): OnlineOptimizer<PassiveAggressiveOptions> {
  return online(passiveAggressiveComponent, options);
}

/** Returns adaptive regularisation of weights (AROW), which keeps a confidence for each weight, with Hamming cost. */
export function arow(options: Partial<ArowOptions> = {}): OnlineOptimizer<ArowOptions> {
  return online(arowComponent, options);
}

/** Returns the optimizer that estimates a hidden Markov model by counting (maximum likelihood), for the scorer `hmm`. */
export function counts(options: Partial<CountsOptions> = {}): OnlineOptimizer<CountsOptions> {
  return online(countsComponent, options);
}

/** Returns stepwise EM, which trains a hidden Markov model online, from records with and without labels. */
export function stepwiseEm(
  options: Partial<StepwiseEmOptions> = {},
): OnlineOptimizer<StepwiseEmOptions> {
  return online(stepwiseEmComponent, options);
}
