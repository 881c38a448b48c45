// The entry `tagstream/optimizers`: factories of online and batch optimizers, and their parts.

// online optimizers

export {
  adagrad,
  arow,
  counts,
  passiveAggressive,
  perceptron,
  sgd,
  sgdL1,
  smd,
  stepwiseEm,
  votedPerceptron,
} from '../engine/optimizers/factories.js';
export { optimizers } from '../engine/optimizers/optimizers.js';
export { schedules } from '../engine/optimizers/schedules/schedules.js';

// batch optimizers

export { FeatureInduction } from '../engine/trainers/boosting/induction/feature-induction.js';
export {
  batchPerceptron,
  bcd,
  cd,
  conjugateGradient,
  cuttingPlanes,
  eg,
  em,
  gis,
  iis,
  lbfgs,
  mmi,
  owlQn,
  rprop,
  sequenceBoosting,
  smo,
  supportVectors,
  treeBoosting,
} from '../engine/trainers/factories.js';
export { Objective } from '../engine/trainers/objective.js';
export { RegularisationPath } from '../engine/trainers/regularisation-path.js';
export { SwitchedTrainer } from '../engine/trainers/switching/switched-trainer.js';
export { trainers } from '../runtime/pipeline/catalogue/trainers.js';
export {
  featureInduction,
  optimizerSwitch,
  regularisationPath,
} from '../runtime/pipeline/training/composite-optimizers.js';

// types

export type { Component } from '../engine/core/component.js';
export type { AdagradOptions } from '../engine/optimizers/adagrad.js';
export type { ArowOptions } from '../engine/optimizers/arow.js';
export type { CountsOptions } from '../engine/optimizers/counts.js';
export type {
  OnlineOptimizer,
  Optimizer,
  OptimizerComponent,
  OptimizerContext,
} from '../engine/optimizers/optimizer.js';
export type { PassiveAggressiveOptions } from '../engine/optimizers/passive-aggressive.js';
export type { PerceptronOptions } from '../engine/optimizers/perceptron.js';
export type { Schedule } from '../engine/optimizers/schedules/schedules.js';
export type { SgdOptions } from '../engine/optimizers/sgd.js';
export type { SgdL1Options } from '../engine/optimizers/sgd-l1.js';
export type { SmdOptions } from '../engine/optimizers/smd.js';
export type { StepwiseEmOptions } from '../engine/optimizers/stepwise-em.js';
export type { VotedPerceptronOptions } from '../engine/optimizers/voted-perceptron.js';
export type { BatchPerceptronOptions } from '../engine/trainers/batch-perceptron.js';
export type { SequenceBoostingOptions } from '../engine/trainers/boosting/sequence-boosting.js';
export type { TreeBoostingOptions } from '../engine/trainers/boosting/trees/tree-boosting.js';
export type { ConjugateGradientOptions } from '../engine/trainers/conjugate/conjugate-gradient.js';
export type {
  BlockOptions,
  DescentOptions,
} from '../engine/trainers/descent/coordinate-descent.js';
export type { EmOptions } from '../engine/trainers/em/em.js';
export type { MmiOptions } from '../engine/trainers/em/mmi.js';
export type { LbfgsOptions } from '../engine/trainers/lbfgs/lbfgs.js';
export type { OwlQnOptions } from '../engine/trainers/lbfgs/owl-qn.js';
export type { CuttingPlaneOptions } from '../engine/trainers/margin/cutting-planes.js';
export type { EgOptions } from '../engine/trainers/margin/eg.js';
export type { SmoOptions } from '../engine/trainers/margin/smo.js';
export type { SupportVectorOptions } from '../engine/trainers/margin/support-vectors.js';
export type { RpropOptions } from '../engine/trainers/rprop.js';
export type { GisOptions } from '../engine/trainers/scaling/gis.js';
export type { IisOptions } from '../engine/trainers/scaling/iis.js';
export type {
  BatchOptimizer,
  FeatureParts,
  TrainerComponent,
  TrainerContext,
} from '../engine/trainers/trainer-component.js';
export type { InductionChoice } from '../runtime/pipeline/trainers/induction.js';
export type { PathChoice } from '../runtime/pipeline/trainers/path.js';
export type { SwitchChoice } from '../runtime/pipeline/trainers/switch.js';
export type {
  FeatureInductionOptions,
  OptimizerSwitchOptions,
  RegularisationPathOptions,
} from '../runtime/pipeline/training/composite-optimizers.js';
export type {
  OptimizerChoice,
  TrainerChoice,
  TrainerOptions,
} from '../runtime/pipeline/training/trainer-choice.js';
