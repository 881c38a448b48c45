import { TagstreamError } from '../core/errors.js';
import type { Refusal } from '../core/training/refusal.js';
import { scorerOf, scorersWith } from '../inference/scorers/scorers.js';
import type { FeatureSetting } from '../inference/scorers/without-weights.js';
import type { ModelSpec } from './model-spec.js';

/** A setting of features that a scorer has nothing for. */
export interface UnfitFeature extends Refusal {
  readonly setting: FeatureSetting;
}

/** The first setting of features that does not go with the scorer; undefined where there is none. */
export function unfitFeature(
  { index, support, scorer }: Pick<ModelSpec, 'index' | 'support' | 'scorer'>,
  preset?: string,
): UnfitFeature | undefined {
  const { withoutFeatures = {} } = scorerOf(scorer);
  const used: Readonly<Record<FeatureSetting, boolean>> = {
    preset: preset !== undefined,
    hashed: index.mode === 'hashed',
    mutualInformation: index.mode === 'exact' && index.information !== undefined,
    prune: index.mode === 'exact' && index.pruneEvery !== undefined,
    support: support === 'observed',
  };
  const settings = Object.keys(used) as FeatureSetting[];
  const setting = settings.find(name => used[name] && withoutFeatures[name] !== undefined);
  return setting && { setting, ...withoutFeatures[setting]! };
}

/** Why the scorer has no covariances; undefined where they are not wanted, or it has them. */
export function unfitCovariance({
  covariance,
  scorer,
}: {
  readonly covariance?: ModelSpec['covariance'] | undefined;
  readonly scorer?: ModelSpec['scorer'] | undefined;
}): Refusal | undefined {
  if (covariance === undefined) return undefined;
  if (scorerOf(scorer).capabilities.includes('tables')) return undefined;
  const name = scorersWith('tables').join(' or ');
  return {
    problem: `covariances are those of densities, which the scorer ${name} alone has`,
    fix: `use the scorer ${name}, or leave covariance out`,
  };
}

/** @throws TagstreamError `config` where a specification has what does not go with its scorer */
export function requireFitForScorer(
  spec: Pick<ModelSpec, 'index' | 'support' | 'scorer' | 'covariance'>,
): void {
  const covariance = unfitCovariance(spec);
  const unfit = covariance ? { setting: 'covariance', ...covariance } : unfitFeature(spec);
  if (unfit === undefined) return;
  throw new TagstreamError('config', `${unfit.setting}: ${unfit.problem}`, { fix: unfit.fix });
}
