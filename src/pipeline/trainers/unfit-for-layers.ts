import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { logLinear } from './log-linear.js';

/** A setting that does not go with tags of two layers. */
export interface UnfitForLayers {
  readonly setting: 'scorer' | 'hidden' | 'optimize' | 'epochs' | 'workers';
  readonly problem: string;
  readonly fix: string;
}

interface Settings {
  readonly scorer: ScorerName | undefined;
  readonly hidden: object | undefined;
  /** The batch optimizer, where it is one. */
  readonly trainer:
    | { readonly component: TrainerComponent<never>; readonly options: unknown }
    | undefined;
  /** Name of the optimizer. */
  readonly optimizer: string;
  /** Whether training reads a corpus, as it does not on a stream. */
  readonly hasCorpus: boolean;
  readonly workers: number;
}

/** The setting of a pipeline or request that does not go with layers; undefined where there is none. */
export function unfitForLayers({
  scorer = 'linear',
  hidden,
  trainer,
  optimizer,
  hasCorpus,
  workers,
}: Settings): UnfitForLayers | undefined {
  const unfit = (setting: UnfitForLayers['setting'], problem: string, fix: string) => ({
    ...{ setting, problem, fix: `${fix}, or leave layers out` },
  });
  if (scorer !== 'linear') {
    return unfit('scorer', `the scorer ${scorer} has no layers`, 'use the scorer linear');
  }
  if (hidden !== undefined) {
    return unfit('hidden', 'tags of two layers have no hidden states', 'leave hidden out');
  }
  if ((trainer !== undefined && logLinear(trainer)) || optimizer === 'voted-perceptron') {
    const fix = 'use lbfgs, owl-qn, cg, rprop or another online optimizer';
    return unfit('optimize', `the optimizer ${optimizer} does not train tags of two layers`, fix);
  }
  if (!hasCorpus) {
    return unfit('epochs', 'tags of two layers are learned from a corpus', 'give train.epochs');
  }
  if (trainer === undefined && workers > 1) {
    const fix = 'leave workers out, or use a batch optimizer';
    return unfit('workers', 'one thread makes passes over tags of two layers', fix);
  }
  return undefined;
}
