import { TagstreamError } from '../core/errors.js';
import type { ModelSpec } from './model-spec.js';

/** A setting of features that goes with linear scores alone. */
export interface UnfitForTables {
  /** Its name in pipeline files. */
  readonly setting: 'hashed' | 'mutualInformation' | 'prune' | 'support';
  readonly problem: string;
  readonly fix: string;
}

/** Why a preset does not go with the scorer hmm. */
export const presetWithoutTables = {
  problem:
    'the scorer hmm takes no preset: it needs a template for each column, which reads the token itself',
  fix: 'give templates in its place, from the word to ever larger classes: templates: ["U0:%x[0,0]", "U1:%type[0,0]/%suffix[0,0,2]", "U2:%type[0,0]", "B"]',
} as const;

/** The setting of features of which the scorer hmm can make no tables; undefined where there is none. */
export function unfitForTables({
  index,
  support,
}: Pick<ModelSpec, 'index' | 'support'>): UnfitForTables | undefined {
  const unfit = (setting: UnfitForTables['setting'], problem: string, fix: string) => ({
    setting,
    problem: `the scorer hmm ${problem}`,
    fix: `${fix}, or use model: { scorer: linear }`,
  });
  if (index.mode === 'hashed') {
    return unfit('hashed', 'counts each word by itself, hashed rows are shared', 'leave it out');
  }
  if (index.information !== undefined) {
    const fix = 'leave it out: minCount of the optimizer counts merges rare words';
    return unfit('mutualInformation', 'needs the counts of all words', fix);
  }
  if (index.pruneEvery !== undefined) {
    return unfit('prune', 'has no weights that training makes zero', 'use maxFeatures');
  }
  if (support === 'observed') {
    return unfit('support', 'smooths the counts of pairs that were not seen', 'use support: all');
  }
  return undefined;
}

/** Why full covariances go with the scorer hmm alone. */
export const covarianceWithoutTables = {
  problem: 'covariances are those of densities, which the scorer hmm alone has',
  fix: 'use model: { scorer: hmm }, or leave covariance out',
} as const;

/** @throws TagstreamError `config` where a specification has what does not go with the scorer hmm, or only with it */
export function requireTables(
  spec: Pick<ModelSpec, 'index' | 'support' | 'scorer' | 'covariance'>,
): void {
  if (spec.covariance !== undefined && spec.scorer !== 'hmm') {
    const { problem, fix } = covarianceWithoutTables;
    throw new TagstreamError('config', `covariance: ${problem}`, { fix });
  }
  const unfit = spec.scorer === 'hmm' ? unfitForTables(spec) : undefined;
  if (unfit === undefined) return;
  throw new TagstreamError('config', `${unfit.setting}: ${unfit.problem}`, { fix: unfit.fix });
}
