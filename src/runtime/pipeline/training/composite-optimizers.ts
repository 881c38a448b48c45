import { inBatch } from '../../../engine/trainers/factories.js';
import type {
  BatchOptimizer,
  TrainerComponent,
} from '../../../engine/trainers/trainer-component.js';
import { trainers } from '../catalogue/trainers.js';
import type { InductionChoice } from '../trainers/induction.js';
import type { PathChoice } from '../trainers/path.js';
import type { SwitchChoice } from '../trainers/switch.js';
import { plainOptimizer } from './plain-request.js';
import type { OptimizerChoice } from './trainer-choice.js';

/** Options of `regularisationPath`. */
export interface RegularisationPathOptions {
  /** The L1 penalties in descending order. */
  readonly l1: readonly number[];
  /** Batch optimizer of each step, whose `l1` the path sets. Default `owlQn()`. */
  readonly with?: OptimizerChoice;
  /** Maximum number of iterations per step. */
  readonly iterations?: number;
}

/** Options of `featureInduction`. */
export interface FeatureInductionOptions {
  /** Number of rounds in which weights are added. Default 5. */
  readonly rounds?: number;
  /** Maximum number of weights added per round. Default 1000. */
  readonly add?: number;
  /** Minimum gain of an added weight. Default 0. */
  readonly least?: number;
  /** Maximum number of iterations between two rounds. Default 10. */
  readonly iterations?: number;
  /** The batch optimizer for the current weights. Default `lbfgs({ l2: 1 })`. */
  readonly with?: OptimizerChoice;
}

/** Options of `optimizerSwitch`. */
export interface OptimizerSwitchOptions {
  /** The online optimizer that starts. */
  readonly first: OptimizerChoice;
  /** Number of its passes, which count as iterations. Default 1. */
  readonly epochs?: number;
  /** Number of sentences in its minibatches. Default 1. */
  readonly sentences?: number;
  /** The batch optimizer that continues from its weights. */
  readonly next: OptimizerChoice;
}

/**
 * Returns a regularisation path: a batch optimizer for a sequence of L1 penalties, each starting from the previous minimum.
 *
 * @throws TagstreamError `config`, naming the wrong option
 * @example
 * regularisationPath({ l1: [3, 1], with: owlQn({ l2: 0.1 }) }).options.with // => { 'owl-qn': { l2: 0.1 } }
 */
export function regularisationPath(options: RegularisationPathOptions): BatchOptimizer<PathChoice> {
  return composite<PathChoice>('path', options);
}

/**
 * Returns feature induction, which adds the weights of the features with the largest gains, round by round.
 *
 * @throws TagstreamError `config`, naming the wrong option
 */
export function featureInduction(
  options: FeatureInductionOptions = {},
): BatchOptimizer<InductionChoice> {
  return composite<InductionChoice>('induction', options);
}

/**
 * Returns a switch: an online optimizer for some passes, then a batch optimizer that starts from its weights.
 *
 * @throws TagstreamError `config`, naming the wrong option
 * @example
 * optimizerSwitch({ first: sgd(), next: lbfgs() }).component.name // => 'switch'
 */
export function optimizerSwitch(options: OptimizerSwitchOptions): BatchOptimizer<SwitchChoice> {
  return composite<SwitchChoice>('switch', options);
}

function composite<Options>(name: string, options: object): BatchOptimizer<Options> {
  const component = trainers.find(
    each => each.name === name,
  ) as unknown as TrainerComponent<Options>;
  const isMap = typeof options === 'object' && options !== null && !Array.isArray(options);
  const plain = isMap
    ? Object.fromEntries(
        Object.entries(options).map(([key, value]) => [key, plainOptimizer(value)] as const),
      )
    : options;
  return inBatch(component, plain as Partial<Options>);
}
