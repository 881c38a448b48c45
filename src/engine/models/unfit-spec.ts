import type { Refusal } from '../core/component.js';
import { TagstreamError } from '../core/errors.js';
import { scorerHas, scorerOf, scorersWith } from '../inference/scorers/scorers.js';
import type { FeatureSetting } from '../inference/scorers/without-weights.js';
import type { ModelSpec } from './model-spec.js';

/** A feature setting that a scorer does not support. */
export interface UnfitFeature extends Refusal {
  readonly setting: FeatureSetting;
}

/** Returns the first feature setting that the scorer does not support; undefined if it supports all. */
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

/**
 * Returns why the scorer has no covariances; undefined if they are not requested or are supported.
 */
export function unfitCovariance({
  covariance,
  scorer,
}: {
  readonly covariance?: ModelSpec['covariance'] | undefined;
  readonly scorer?: ModelSpec['scorer'] | undefined;
}): Refusal | undefined {
  if (covariance === undefined) return undefined;
  if (scorerHas(scorer, 'tables')) return undefined;
  const name = scorersWith('tables').join(' or ');
  return {
    problem: `only the scorer ${name} has densities with covariances`,
    fix: `use the scorer ${name}, or leave covariance out`,
  };
}

/** @throws TagstreamError `config` if a specification has a setting that its scorer does not support */
export function requireFitForScorer(
  spec: Pick<ModelSpec, 'index' | 'support' | 'scorer' | 'covariance'>,
): void {
  const covariance = unfitCovariance(spec);
  const unfit = covariance ? { setting: 'covariance', ...covariance } : unfitFeature(spec);
  if (unfit === undefined) return;
  throw new TagstreamError('config', `${unfit.setting}: ${unfit.problem}`, { fix: unfit.fix });
}

/** A setting that only the structure chain supports. */
interface UnfitForStructure {
  /** Name of the setting in pipeline files. */
  readonly setting:
    | 'scorer'
    | 'hidden'
    | 'layers'
    | 'parts'
    | 'codes'
    | 'mutualInformation'
    | 'support';
  readonly problem: string;
  readonly fix: string;
}

/** Scored units other than tokens and transitions, by structure. */
const scored = { segments: 'spans', graph: 'links' } as const;

/** Returns a setting that the structure segments or graph does not support; undefined if it supports all. */
export function unfitForStructure(
  structure: keyof typeof scored,
  {
    index,
    support,
    scorer,
    hidden,
    layers,
    parts,
    codes,
  }: Pick<ModelSpec, 'index' | 'support' | 'scorer' | 'hidden' | 'layers' | 'parts' | 'codes'>,
): UnfitForStructure | undefined {
  const unfit = (setting: UnfitForStructure['setting'], has: string, fix: string) => ({
    ...{ setting, problem: `the structure ${structure} has ${has}`, fix },
  });
  if (!scorerHas(scorer, 'structures')) {
    const fix = `use structure: chain with the scorer ${scorer}`;
    const fitting = scorersWith('structures').join(' or ');
    return unfit('scorer', `the scorer ${fitting}, not ${scorer}`, fix);
  }
  if (hidden !== undefined) {
    return unfit('hidden', 'no hidden states', 'leave hidden out, or use structure: chain');
  }
  if (layers !== undefined) {
    return unfit('layers', 'labels of one layer', 'leave layers out, or use structure: chain');
  }
  if (parts !== undefined) {
    return unfit('parts', 'labels of one part', 'leave parts out, or use structure: chain');
  }
  if (codes !== undefined) {
    return unfit('codes', 'no codes', 'leave codes out, or use structure: chain');
  }
  if (support === 'observed') {
    return unfit('support', 'weights for all labels of a feature', 'use support: all');
  }
  if (index.mode === 'exact' && index.information !== undefined) {
    const has = `features of ${scored[structure]}, not of single tokens`;
    return unfit('mutualInformation', has, 'leave it out, or use cutoff');
  }
  return undefined;
}

/** The columns that make up labels, if labels have no columns themselves. */
export const madeOf = {
  layers: 'tags with layers',
  parts: 'tags of parts',
  codes: 'words of a code',
} as const;

/** Settings that determine the columns that make up labels. */
export const madeNames = ['layers', 'parts', 'codes'] as const;

/** Returns a setting that excludes another one, such as layers and codes; undefined if there is none. */
export function unfitTogether(chosen: { readonly [Name in keyof typeof madeOf]?: unknown }) {
  const [setting, other] = madeNames.filter(name => chosen[name] !== undefined);
  if (setting === undefined || other === undefined) return undefined;
  const problem = `${madeOf[setting]} cannot also be ${madeOf[other]}`;
  return { setting, problem, fix: `leave ${setting} out, or leave ${other} out` };
}

/**
 * @throws TagstreamError `config` if a specification combines such a setting with its structure, or two structures
 */
export function requireFitForStructure(spec: ModelSpec): void {
  const structure = structureWithLimits(spec);
  const unfit = structure && unfitForStructure(structure, spec);
  if (unfit !== undefined) {
    throw new TagstreamError('config', `${unfit.setting}: ${unfit.problem}`, { fix: unfit.fix });
  }
  const both = unfitTogether(spec);
  if (both !== undefined) {
    throw new TagstreamError('config', `${both.setting}: ${both.problem}`, { fix: both.fix });
  }
}

function structureWithLimits({ segments, graph }: ModelSpec): keyof typeof scored | undefined {
  if (segments !== undefined) return 'segments';
  return graph === undefined ? undefined : 'graph';
}
