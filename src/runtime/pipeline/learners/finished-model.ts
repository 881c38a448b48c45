import type { TokenFunctions } from '../../../engine/features/template/token-function.js';
import { scorerOf } from '../../../engine/inference/scorers/scorers.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import type { ParameterStore } from '../../../engine/kernels/store/parameter-store.js';
import { defaultKernel } from '../../../engine/models/default-kernel.js';
import {
  contentsOf,
  deployedWeights,
  finishedWeights,
  type ModelContents,
  readModel,
  takenContents,
} from '../../../engine/models/files/model-file.js';
import type { EarlyStopping } from '../../../engine/models/learning/held-out-evaluator.js';
import type { Learner } from '../../../engine/models/learning/learner.js';
import type { Model } from '../../../engine/models/model.js';
import type { WeightSelection } from '../../../engine/models/selection/drop-small-weights.js';
import { copyPlane } from '../../../engine/optimizers/planes/planes.js';
import type { TrainOptions } from '../options/train-options.js';

/** A finished training. */
export interface FinishedTraining extends AskedWeights {
  readonly stopping?: EarlyStopping | undefined;
  readonly kernel: Kernel;
  /** Options for reading the model of the best pass, as in `readModel`. */
  readonly catalogue?: { readonly functions: TokenFunctions } | undefined;
}

/** A model with its last or best weights, before it is packed for its file. */
export interface FinishedModel {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly bestPass?: number | undefined;
  /** Packs the model. Must be called last: it consumes the parameters. */
  contents(): ModelContents;
}

/**
 * Returns the result of a training.
 *
 * @param writes whether the model is written to a file; if not, the learner may be used further
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

/** The learner, and the options of the model file. */
interface AskedWeights {
  readonly learner: Learner;
  readonly train?: Pick<Partial<TrainOptions>, 'threshold' | 'temperature' | 'compact'> | undefined;
  /** Whether the templates are those of a preset. */
  readonly usesPreset: boolean;
}

/** Returns the weights that a model file gets, and their form; undefined for all weights, unchanged. */
export function weightSelectionOf({
  learner,
  train,
  usesPreset,
}: AskedWeights): WeightSelection | undefined {
  const { threshold, temperature, compact = usesPreset && canBeRounded(learner) } = train ?? {};
  if (threshold === undefined && temperature === undefined && !compact) return undefined;
  return { ...threshold, temperature, compact };
}

/** Returns whether the learner's weights belong to one model and can be rounded independently. */
export function canBeRounded({ model, votes }: Learner): boolean {
  return scorerOf(model.spec.scorer).capabilities.includes('rounding') && !votes;
}

/**
 * Returns a kernel and the parameters of a finished model for it, as a tagger has them that reads the model's file: float32,
 * unless another kernel was chosen. Between label sequences of equal scores rounding decides, so what was trained in float64
 * would otherwise be scored by other tags than it gives.
 */
export function asRead({ parameters }: Pick<FinishedModel, 'parameters'>, kernel = defaultKernel) {
  if (kernel.precision === parameters.precision) return { kernel, parameters };
  const read = parameters.emptyCopy(kernel.precision);
  copyPlane(parameters.weights, read.weights, parameters.scale);
  read.forest = parameters.forest;
  read.vectors = parameters.vectors;
  return { kernel, parameters: read };
}
