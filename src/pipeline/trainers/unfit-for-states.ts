import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { logLinear } from './log-linear.js';

/** A setting that does not go with hidden states. */
export interface UnfitForStates {
  readonly setting: 'optimize' | 'epochs';
  readonly problem: string;
  readonly fix: string;
}

interface Settings {
  readonly scorer: ScorerName | undefined;
  /** Name of the optimizer, online or batch. */
  readonly name: string;
  /** The batch optimizer, where it is one. */
  readonly trainer:
    | { readonly component: TrainerComponent<never>; readonly options: unknown }
    | undefined;
  /** Whether training reads a corpus, as it does not on a stream. */
  readonly hasCorpus: boolean;
}

/** The setting of a pipeline or request that does not go with hidden states; undefined where there is none. */
export function unfitForStates({
  scorer,
  name,
  trainer,
  hasCorpus,
}: Settings): UnfitForStates | undefined {
  if (scorer === 'hmm') {
    if (name !== 'counts') return undefined;
    return {
      setting: 'optimize',
      problem:
        'the optimizer counts needs all that it counts to be given, and components of densities are not',
      fix: 'use em or stepwise-em, or leave hidden out',
    };
  }
  if (trainer !== undefined && logLinear(trainer)) {
    return {
      setting: 'optimize',
      problem: `the batch optimizer ${trainer.component.name} needs labels that are all given, and hidden states are not`,
      fix: 'use lbfgs, owl-qn, cg, rprop or an online optimizer, or leave hidden out',
    };
  }
  if (!hasCorpus) {
    return {
      setting: 'epochs',
      problem: 'hidden states start at random when all features are known, and a stream has no end',
      fix: 'give train.epochs, or leave hidden out',
    };
  }
  return undefined;
}
