import { scorerOf } from '../../inference/scorers/scorers.js';
import type { Learner } from '../../models/learning/learner.js';
import type { WeightSelection } from '../../models/selection/drop-small-weights.js';
import type { TrainOptions } from '../options/train-options.js';

/** Who has learned, and what was asked for the model file. */
export interface AskedWeights {
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
