import { defaultGrowthLimit, type GrowthLimit } from '../../models/growth-limit.js';
import type { TrainOptions } from './train-options.js';

/** What `featurize` says of it. */
export interface GrowthOptions {
  readonly maxFeatures?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * How much a model may grow: on a stream what `featurize` says, or the default; a corpus that is read whole has an end.
 *
 * @example
 * growthLimitOf({ maxFeatures: 1000 }, { corpusSize: 100 }).features // => 1000
 * growthLimitOf({}, { epochs: 3 }) // => undefined
 */
export function growthLimitOf(
  { maxFeatures, maxBytes }: GrowthOptions,
  train: Pick<TrainOptions, 'epochs'> | undefined,
): GrowthLimit | undefined {
  if (train === undefined || train.epochs !== undefined) return undefined;
  return {
    features: maxFeatures ?? defaultGrowthLimit.features,
    bytes: maxBytes ?? defaultGrowthLimit.bytes,
  };
}
