import {
  type EstimatedTraining,
  estimateTraining,
  type TrainingEstimate,
} from './training-estimate.js';
import type { TrainingSize } from './training-size.js';

/** A way to a smaller training: settings for `--set`, and what it takes. */
export interface SmallerTraining {
  readonly how: string;
  readonly estimate: TrainingEstimate;
}

/** Pairs of a feature with a label that occur, for each feature; of features that come twice or more often too. */
const pairsPerFeature = 1.6;
const pairsPerFrequent = 2.7;

/** Features that come twice or more often, of all. */
const frequentShare = 0.36;

/** Ways to a smaller training of the same corpus; the shares are those of the corpora of the benchmark. */
export function smallerTrainings(
  size: TrainingSize,
  given: EstimatedTraining,
): readonly SmallerTraining[] {
  const { features } = size;
  const frequent = features * frequentShare;
  const observed = 'stages.featurize.support=observed --set stages.featurize.compressed=true';
  const ways = [
    { how: observed, size: { ...size, pairs: features * pairsPerFeature }, isObserved: true },
    { how: 'stages.featurize.cutoff=2', size: { ...size, features: frequent }, isObserved: false },
    {
      how: `${observed} --set stages.featurize.cutoff=2`,
      size: { ...size, features: frequent, pairs: frequent * pairsPerFrequent },
      isObserved: true,
    },
  ];
  return ways.flatMap(({ how, size: smaller, isObserved }) => {
    if (isObserved && given.spec.compressed === true) return [];
    const spec = isObserved
      ? { ...given.spec, support: 'observed' as const, compressed: true as const }
      : given.spec;
    const estimate = estimateTraining(smaller, { ...given, spec });
    return estimate === undefined ? [] : [{ how, estimate }];
  });
}
