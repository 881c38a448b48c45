import { parseOptions } from '../core/schema/parse-options.js';
import {
  type BatchPerceptronOptions,
  batchPerceptron as batchPerceptronComponent,
} from './batch-perceptron.js';
import {
  type SequenceBoostingOptions,
  sequenceBoosting as sequenceBoostingComponent,
} from './boosting/sequence-boosting.js';
import {
  type TreeBoostingOptions,
  treeBoosting as treeBoostingComponent,
} from './boosting/trees/tree-boosting.js';
import {
  type ConjugateGradientOptions,
  conjugateGradient as conjugateGradientComponent,
} from './conjugate/conjugate-gradient.js';
import { bcd as bcdComponent } from './descent/bcd.js';
import { cd as cdComponent } from './descent/cd.js';
import type { BlockOptions, DescentOptions } from './descent/coordinate-descent.js';
import { type EmOptions, em as emComponent } from './em/em.js';
import { type MmiOptions, mmi as mmiComponent } from './em/mmi.js';
import { type LbfgsOptions, lbfgs as lbfgsComponent } from './lbfgs/lbfgs.js';
import { type OwlQnOptions, owlQn as owlQnComponent } from './lbfgs/owl-qn.js';
import {
  type CuttingPlaneOptions,
  cuttingPlanes as cuttingPlanesComponent,
} from './margin/cutting-planes.js';
import { type EgOptions, eg as egComponent } from './margin/eg.js';
import { type SmoOptions, smo as smoComponent } from './margin/smo.js';
import {
  type SupportVectorOptions,
  supportVectors as supportVectorsComponent,
} from './margin/support-vectors.js';
import { type RpropOptions, rprop as rpropComponent } from './rprop.js';
import { type GisOptions, gis as gisComponent } from './scaling/gis.js';
import { type IisOptions, iis as iisComponent } from './scaling/iis.js';
import type { BatchOptimizer, TrainerComponent } from './trainer-component.js';

// Batch optimizers for use in programs, with the options described in `pipelines/README.md`. Each
// factory throws a TagstreamError `config` that names an invalid option.

/** Returns a batch optimizer after checking its options, without filling in defaults. */
export function inBatch<Options>(
  component: TrainerComponent<Options>,
  options: Partial<Options>,
): BatchOptimizer<Options> {
  parseOptions(component.options, options, component.name);
  return { kind: 'batch', component, options };
}

/**
 * Returns L-BFGS, a quasi-Newton method on the whole corpus, with L2.
 *
 * @example
 * lbfgs({ l2: 0.5 }).component.name // => 'lbfgs'
 */
export function lbfgs(options: Partial<LbfgsOptions> = {}): BatchOptimizer<LbfgsOptions> {
  return inBatch(lbfgsComponent, options);
}

/** Returns OWL-QN, a quasi-Newton method with L1 and L2, for sparse models. */
export function owlQn(options: Partial<OwlQnOptions> = {}): BatchOptimizer<OwlQnOptions> {
  return inBatch(owlQnComponent, options);
}

/** Returns nonlinear conjugate gradients on the whole corpus, preconditioned or not, with L2. */
export function conjugateGradient(
  options: Partial<ConjugateGradientOptions> = {},
): BatchOptimizer<ConjugateGradientOptions> {
  return inBatch(conjugateGradientComponent, options);
}

/** Returns resilient propagation (RPROP), which adapts a step size for each weight, with L1 and L2. */
export function rprop(options: Partial<RpropOptions> = {}): BatchOptimizer<RpropOptions> {
  return inBatch(rpropComponent, options);
}

/** Returns boosting of the exponential loss, which updates one weight per iteration. */
export function sequenceBoosting(
  options: Partial<SequenceBoostingOptions> = {},
): BatchOptimizer<SequenceBoostingOptions> {
  return inBatch(sequenceBoostingComponent, options);
}

/** Returns gradient tree boosting, for the scorer `trees`. */
export function treeBoosting(
  options: Partial<TreeBoostingOptions> = {},
): BatchOptimizer<TreeBoostingOptions> {
  return inBatch(treeBoostingComponent, options);
}

/**
 * Returns blockwise coordinate descent with L1, L2 and a group penalty, one feature at a time.
 *
 * @example
 * bcd({ l1: 0, group: 0.5, joint: true }).options // => { l1: 0, group: 0.5, joint: true }
 */
export function bcd(options: Partial<BlockOptions> = {}): BatchOptimizer<BlockOptions> {
  return inBatch(bcdComponent, options);
}

/** Returns coordinate descent with L1 and L2, one weight at a time, for small problems. */
export function cd(options: Partial<DescentOptions> = {}): BatchOptimizer<DescentOptions> {
  return inBatch(cdComponent, options);
}

/** Returns generalised iterative scaling, with L2. */
export function gis(options: Partial<GisOptions> = {}): BatchOptimizer<GisOptions> {
  return inBatch(gisComponent, options);
}

/** Returns improved iterative scaling, with L2. */
export function iis(options: Partial<IisOptions> = {}): BatchOptimizer<IisOptions> {
  return inBatch(iisComponent, options);
}

/** Returns exponentiated gradient on the max-margin dual, with L2. */
export function eg(options: Partial<EgOptions> = {}): BatchOptimizer<EgOptions> {
  return inBatch(egComponent, options);
}

/** Returns sequential minimal optimization of the max-margin dual, with L2. */
export function smo(options: Partial<SmoOptions> = {}): BatchOptimizer<SmoOptions> {
  return inBatch(smoComponent, options);
}

/**
 * Returns the cutting-plane method for max-margin training, on the hinge losses of the whole
 * corpus, with L2.
 */
export function cuttingPlanes(
  options: Partial<CuttingPlaneOptions> = {},
): BatchOptimizer<CuttingPlaneOptions> {
  return inBatch(cuttingPlanesComponent, options);
}

/** Returns sequential minimal optimization with a kernel function, for the scorer `support-vectors`. */
export function supportVectors(
  options: Partial<SupportVectorOptions> = {},
): BatchOptimizer<SupportVectorOptions> {
  return inBatch(supportVectorsComponent, options);
}

/** Returns the batch perceptron: one update per pass, the sum or mean over the pass's mistakes. */
export function batchPerceptron(
  options: Partial<BatchPerceptronOptions> = {},
): BatchOptimizer<BatchPerceptronOptions> {
  return inBatch(batchPerceptronComponent, options);
}

/** Returns expectation maximisation of a hidden Markov model, from records with and without labels. */
export function em(options: Partial<EmOptions> = {}): BatchOptimizer<EmOptions> {
  return inBatch(emComponent, options);
}

/**
 * Returns the trainer of a hidden Markov model by maximum mutual information, the conditional
 * likelihood of the labels.
 */
export function mmi(options: Partial<MmiOptions> = {}): BatchOptimizer<MmiOptions> {
  return inBatch(mmiComponent, options);
}
