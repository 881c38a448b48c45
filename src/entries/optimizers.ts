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
} from '../optimizers/factories.js';
export { optimizers } from '../optimizers/optimizers.js';
export { schedules } from '../optimizers/schedules/schedules.js';

// batch optimizers

export { trainers } from '../pipeline/catalogue/trainers.js';
export {
  featureInduction,
  optimizerSwitch,
  regularisationPath,
} from '../pipeline/training/composite-optimizers.js';
export { FeatureInduction } from '../trainers/boosting/induction/feature-induction.js';
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
} from '../trainers/factories.js';
export { Objective } from '../trainers/objective.js';
export { RegularisationPath } from '../trainers/regularisation-path.js';
export { SwitchedTrainer } from '../trainers/switching/switched-trainer.js';

// types

export type { Component } from '../core/component.js';
export type { AdagradOptions } from '../optimizers/adagrad.js';
export type { ArowOptions } from '../optimizers/arow.js';
export type { CountsOptions } from '../optimizers/counts.js';
export type {
  OnlineOptimizer,
  Optimizer,
  OptimizerComponent,
  OptimizerContext,
} from '../optimizers/optimizer.js';
export type { PassiveAggressiveOptions } from '../optimizers/passive-aggressive.js';
export type { PerceptronOptions } from '../optimizers/perceptron.js';
export type { Schedule } from '../optimizers/schedules/schedules.js';
export type { SgdOptions } from '../optimizers/sgd.js';
export type { SgdL1Options } from '../optimizers/sgd-l1.js';
export type { SmdOptions } from '../optimizers/smd.js';
export type { StepwiseEmOptions } from '../optimizers/stepwise-em.js';
export type { VotedPerceptronOptions } from '../optimizers/voted-perceptron.js';
export type { InductionChoice } from '../pipeline/trainers/induction.js';
export type { PathChoice } from '../pipeline/trainers/path.js';
export type { SwitchChoice } from '../pipeline/trainers/switch.js';
export type {
  FeatureInductionOptions,
  OptimizerSwitchOptions,
  RegularisationPathOptions,
} from '../pipeline/training/composite-optimizers.js';
export type {
  OptimizerChoice,
  TrainerChoice,
  TrainerOptions,
} from '../pipeline/training/trainer-choice.js';
export type { BatchPerceptronOptions } from '../trainers/batch-perceptron.js';
export type { SequenceBoostingOptions } from '../trainers/boosting/sequence-boosting.js';
export type { TreeBoostingOptions } from '../trainers/boosting/trees/tree-boosting.js';
export type { ConjugateGradientOptions } from '../trainers/conjugate/conjugate-gradient.js';
export type { BlockOptions, DescentOptions } from '../trainers/descent/coordinate-descent.js';
export type { EmOptions } from '../trainers/em/em.js';
export type { MmiOptions } from '../trainers/em/mmi.js';
export type { LbfgsOptions } from '../trainers/lbfgs/lbfgs.js';
export type { OwlQnOptions } from '../trainers/lbfgs/owl-qn.js';
export type { CuttingPlaneOptions } from '../trainers/margin/cutting-planes.js';
export type { EgOptions } from '../trainers/margin/eg.js';
export type { SmoOptions } from '../trainers/margin/smo.js';
export type { SupportVectorOptions } from '../trainers/margin/support-vectors.js';
export type { RpropOptions } from '../trainers/rprop.js';
export type { GisOptions } from '../trainers/scaling/gis.js';
export type { IisOptions } from '../trainers/scaling/iis.js';
export type {
  BatchOptimizer,
  FeatureParts,
  TrainerComponent,
  TrainerContext,
} from '../trainers/trainer-component.js';
