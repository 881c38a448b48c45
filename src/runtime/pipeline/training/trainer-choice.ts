import type { AdagradOptions } from '../../../engine/optimizers/adagrad.js';
import type { ArowOptions } from '../../../engine/optimizers/arow.js';
import type { CountsOptions } from '../../../engine/optimizers/counts.js';
import type { OnlineOptimizer } from '../../../engine/optimizers/optimizer.js';
import type { PassiveAggressiveOptions } from '../../../engine/optimizers/passive-aggressive.js';
import type { PerceptronOptions } from '../../../engine/optimizers/perceptron.js';
import type { SgdOptions } from '../../../engine/optimizers/sgd.js';
import type { SgdL1Options } from '../../../engine/optimizers/sgd-l1.js';
import type { SmdOptions } from '../../../engine/optimizers/smd.js';
import type { StepwiseEmOptions } from '../../../engine/optimizers/stepwise-em.js';
import type { VotedPerceptronOptions } from '../../../engine/optimizers/voted-perceptron.js';
import type { BatchPerceptronOptions } from '../../../engine/trainers/batch-perceptron.js';
import type { SequenceBoostingOptions } from '../../../engine/trainers/boosting/sequence-boosting.js';
import type { TreeBoostingOptions } from '../../../engine/trainers/boosting/trees/tree-boosting.js';
import type { ConjugateGradientOptions } from '../../../engine/trainers/conjugate/conjugate-gradient.js';
import type {
  BlockOptions,
  DescentOptions,
} from '../../../engine/trainers/descent/coordinate-descent.js';
import type { EmOptions } from '../../../engine/trainers/em/em.js';
import type { MmiOptions } from '../../../engine/trainers/em/mmi.js';
import type { LbfgsOptions } from '../../../engine/trainers/lbfgs/lbfgs.js';
import type { OwlQnOptions } from '../../../engine/trainers/lbfgs/owl-qn.js';
import type { CuttingPlaneOptions } from '../../../engine/trainers/margin/cutting-planes.js';
import type { EgOptions } from '../../../engine/trainers/margin/eg.js';
import type { SmoOptions } from '../../../engine/trainers/margin/smo.js';
import type { SupportVectorOptions } from '../../../engine/trainers/margin/support-vectors.js';
import type { RpropOptions } from '../../../engine/trainers/rprop.js';
import type { GisOptions } from '../../../engine/trainers/scaling/gis.js';
import type { IisOptions } from '../../../engine/trainers/scaling/iis.js';
import type { BatchOptimizer } from '../../../engine/trainers/trainer-component.js';
import type { InductionChoice } from '../trainers/induction.js';
import type { PathChoice } from '../trainers/path.js';
import type { SwitchChoice } from '../trainers/switch.js';

/**
 * The optimizers that `train` knows by name, online and batch, with their options, which all have defaults except in
 * `path` and `switch`. `pipelines/README.md` describes each option.
 */
export interface TrainerOptions {
  readonly sgd: Partial<SgdOptions>;
  readonly 'sgd-l1': Partial<SgdL1Options>;
  readonly perceptron: Partial<PerceptronOptions>;
  readonly 'voted-perceptron': Partial<VotedPerceptronOptions>;
  readonly adagrad: Partial<AdagradOptions>;
  readonly smd: Partial<SmdOptions>;
  readonly 'passive-aggressive': Partial<PassiveAggressiveOptions>;
  readonly arow: Partial<ArowOptions>;
  readonly counts: Partial<CountsOptions>;
  readonly 'stepwise-em': Partial<StepwiseEmOptions>;
  readonly lbfgs: Partial<LbfgsOptions>;
  readonly 'owl-qn': Partial<OwlQnOptions>;
  readonly cg: Partial<ConjugateGradientOptions>;
  readonly rprop: Partial<RpropOptions>;
  readonly boosting: Partial<SequenceBoostingOptions>;
  readonly trees: Partial<TreeBoostingOptions>;
  readonly 'cutting-planes': Partial<CuttingPlaneOptions>;
  readonly 'support-vectors': Partial<SupportVectorOptions>;
  readonly bcd: Partial<BlockOptions>;
  readonly cd: Partial<DescentOptions>;
  readonly gis: Partial<GisOptions>;
  readonly iis: Partial<IisOptions>;
  readonly eg: Partial<EgOptions>;
  readonly smo: Partial<SmoOptions>;
  readonly 'batch-perceptron': Partial<BatchPerceptronOptions>;
  readonly em: Partial<EmOptions>;
  readonly mmi: Partial<MmiOptions>;
  readonly path: Partial<PathChoice> & Pick<PathChoice, 'l1'>;
  readonly induction: Partial<InductionChoice>;
  readonly switch: Partial<SwitchChoice> & Pick<SwitchChoice, 'first' | 'next'>;
}

/** One optimizer by name, with its options: `{ lbfgs: { l2: 0.5 } }`. */
export type TrainerChoice = {
  readonly [Name in keyof TrainerOptions]: Readonly<Record<Name, TrainerOptions[Name]>>;
}[keyof TrainerOptions];

/**
 * An optimizer with its options: the result of a factory, such as `sgd({ eta0: 0.1 })`, or the same as
 * data.
 */
export type OptimizerChoice = OnlineOptimizer<unknown> | BatchOptimizer<unknown> | TrainerChoice;
