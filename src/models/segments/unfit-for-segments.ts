import { TagstreamError } from '../../core/errors.js';
import type { ModelSpec } from '../model-spec.js';

/** A setting that goes with the structure chain alone. */
export interface UnfitForSegments {
  /** Its name in pipeline files. */
  readonly setting: 'scorer' | 'hidden' | 'layers' | 'codes' | 'mutualInformation' | 'support';
  readonly problem: string;
  readonly fix: string;
}

/** The setting that models with the structure segments cannot have; undefined where there is none. */
export function unfitForSegments({
  index,
  support,
  scorer = 'linear',
  hidden,
  layers,
  codes,
}: Pick<ModelSpec, 'index' | 'support' | 'scorer' | 'hidden' | 'layers' | 'codes'>):
  | UnfitForSegments
  | undefined {
  if (scorer !== 'linear') {
    const problem = `the structure segments has the scorer linear, not ${scorer}`;
    return { setting: 'scorer', problem, fix: `use structure: chain with the scorer ${scorer}` };
  }
  if (hidden !== undefined) {
    const problem = 'the structure segments has no hidden states';
    return { setting: 'hidden', problem, fix: 'leave hidden out, or use structure: chain' };
  }
  if (codes !== undefined) {
    const problem = 'the structure segments has no codes';
    return { setting: 'codes', problem, fix: 'leave codes out, or use structure: chain' };
  }
  if (layers !== undefined) {
    const problem = 'the structure segments has labels of one layer';
    return { setting: 'layers', problem, fix: 'leave layers out, or use structure: chain' };
  }
  if (support === 'observed') {
    const problem = 'the structure segments has weights for all labels of a feature';
    return { setting: 'support', problem, fix: 'use support: all' };
  }
  if (index.mode === 'exact' && index.information !== undefined) {
    const problem = 'the structure segments has features of spans, which say nothing of one token';
    return { setting: 'mutualInformation', problem, fix: 'leave it out, or use cutoff' };
  }
  return undefined;
}

/** @throws TagstreamError `config` where a specification has such a setting with segments */
export function requireFitForSegments(
  spec: Pick<
    ModelSpec,
    'index' | 'support' | 'scorer' | 'hidden' | 'layers' | 'codes' | 'segments'
  >,
): void {
  const unfit = spec.segments === undefined ? undefined : unfitForSegments(spec);
  if (unfit === undefined) return;
  throw new TagstreamError('config', `${unfit.setting}: ${unfit.problem}`, { fix: unfit.fix });
}
