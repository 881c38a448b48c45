import type { TokenFunctions } from '../../features/template/token-function.js';
import { scorerOf } from '../../inference/scorers/scorers.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import {
  contentsOf,
  deployedWeights,
  finishedWeights,
  type ModelContents,
  readModel,
  takenContents,
} from '../../models/files/model-file.js';
import type { EarlyStopping } from '../../models/learning/held-out-evaluator.js';
import type { Learner } from '../../models/learning/learner.js';
import type { Model } from '../../models/model.js';
import type { WeightSelection } from '../../models/selection/drop-small-weights.js';
import type { TrainOptions } from '../options/train-options.js';

/** A training that is done. */
export interface FinishedTraining extends AskedWeights {
  readonly stopping?: EarlyStopping | undefined;
  readonly kernel: Kernel;
  /** What the model of the best pass is read with, as `readModel` takes them. */
  readonly catalogue?: { readonly functions: TokenFunctions } | undefined;
}

/** A model with its last weights or its best ones, before it is packed for its file. */
export interface FinishedModel {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly bestPass?: number | undefined;
  /** Must be called last: it consumes the parameters. */
  contents(): ModelContents;
}

/**
 * The model that a training has come to.
 *
 * @param writes whether the model goes into a file; where it does not, somebody may look at the learner yet
 */
export function finishedModel(training: FinishedTraining, writes: boolean): FinishedModel {
  const { learner, stopping, kernel, catalogue } = training;
  const best = stopping?.bestModel;
  if (best !== undefined) {
    const model = readModel(best, '<best model>', kernel, catalogue?.functions);
    const { parameters } = model;
    return { model, parameters, bestPass: stopping!.bestPass, contents: () => contentsOf(best) };
  }
  const { model } = learner;
  const selection = weightSelectionOf(training);
  const parameters = writes
    ? finishedWeights(learner, selection)
    : deployedWeights(learner, selection);
  const contents = () => takenContents(model, parameters, selection?.compact);
  return { model, parameters, contents };
}

/** Who has learned, and what was asked for the model file. */
interface AskedWeights {
  readonly learner: Learner;
  readonly train?: Pick<Partial<TrainOptions>, 'threshold' | 'temperature' | 'compact'> | undefined;
  /** Whether the templates are those of a preset. */
  readonly usesPreset: boolean;
}

/** Which weights a model file has, and how: undefined for all of them, as they are. */
export function weightSelectionOf({
  learner,
  train,
  usesPreset,
}: AskedWeights): WeightSelection | undefined {
  const { threshold, temperature, compact = usesPreset && canBeRounded(learner) } = train ?? {};
  if (threshold === undefined && temperature === undefined && !compact) return undefined;
  return { ...threshold, temperature, compact };
}

/** Whether its weights are those of one model, each of which can be rounded by itself. */
export function canBeRounded({ model, votes }: Learner): boolean {
  return scorerOf(model.spec.scorer).capabilities.includes('rounding') && !votes;
}
