import type { StageComponent } from '../definition/stage-component.js';
import type { Chosen } from '../options/one-of.js';
import { type TrainOptions, trainOptions } from '../options/train-options.js';

/**
 * The settings of training with what the stages imply: the optimizer counts takes one pass over a corpus, where the
 * file does not say that it reads a stream.
 */
export function trainSettings(
  train: TrainOptions | undefined,
  stages: readonly Chosen<StageComponent>[],
): TrainOptions | undefined {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  const counts = optimize !== undefined && Object.hasOwn(optimize.options, 'counts');
  if (!counts || train?.epochs !== undefined || train?.corpusSize !== undefined) return train;
  return { ...(train ?? trainOptions.parse({})), epochs: 1 };
}
