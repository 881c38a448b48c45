import type { ScorerName } from '../../core/scorer-name.js';
import { unfitTogether } from '../../models/structures/unfit-for-structure.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { logLinear } from './log-linear.js';

/** A setting that does not go with labels that are made of columns. */
export interface UnfitForColumns {
  readonly setting: 'scorer' | 'hidden' | 'layers' | 'optimize' | 'epochs' | 'workers';
  readonly problem: string;
  readonly fix: string;
}

interface Settings {
  /** Where tags are of two layers: their separator. */
  readonly layers: string | undefined;
  /** Where they are words of a code. */
  readonly codes: object | undefined;
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

/**
 * The setting of a pipeline or request that does not go with tags of two layers, or with words of a code; undefined where
 * there is none.
 */
export function unfitForColumns({
  layers,
  codes,
  scorer = 'linear',
  hidden,
  trainer,
  optimizer,
  hasCorpus,
  workers,
}: Settings): UnfitForColumns | undefined {
  if (layers === undefined && codes === undefined) return undefined;
  const coded = codes !== undefined;
  const made = coded ? 'codes' : 'layers';
  const tags = coded ? 'words of a code' : 'tags of two layers';
  const unfit = (setting: UnfitForColumns['setting'], problem: string, fix: string) => ({
    ...{ setting, problem, fix: `${fix}, or leave ${made} out` },
  });
  const both = unfitTogether({ layers, codes });
  if (both !== undefined) return both;
  if (scorer !== 'linear') {
    return unfit('scorer', `the scorer ${scorer} has no ${made}`, 'use the scorer linear');
  }
  if (hidden !== undefined) {
    return unfit('hidden', `${tags} have no hidden states`, 'leave hidden out');
  }
  if ((trainer !== undefined && logLinear(trainer)) || optimizer === 'voted-perceptron') {
    const fix = 'use lbfgs, owl-qn, cg, rprop or another online optimizer';
    return unfit('optimize', `the optimizer ${optimizer} does not train ${tags}`, fix);
  }
  if (!hasCorpus) {
    return unfit('epochs', `${tags} are learned from a corpus`, 'give train.epochs');
  }
  if (trainer === undefined && workers > 1) {
    const fix = 'leave workers out, or use a batch optimizer';
    return unfit('workers', `one thread makes passes over ${tags}`, fix);
  }
  return undefined;
}
