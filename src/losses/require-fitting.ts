import { TagstreamError } from '../core/errors.js';
import type { ScorerName } from '../core/scorer-name.js';
import { scorerOf, scorers } from '../inference/scorers/scorers.js';
import type { Loss } from './loss.js';
import { losses } from './losses.js';

/** Whether a loss trains models with this scorer. */
export function fitsScorer({ scorers: fitting }: Loss, scorer: ScorerName): boolean {
  return fitting?.includes(scorer) ?? scorerOf(scorer).capabilities.includes('gradients');
}

/** What to do about a loss that does not train models with this scorer. */
export function fittingChoice(loss: Loss, scorer: ScorerName): string {
  const names = losses.filter(each => fitsScorer(each, scorer)).map(({ name }) => name);
  const others = scorers.filter(each => fitsScorer(loss, each.name)).map(({ name }) => name);
  return `use one of the losses ${names.join(', ')}, or the scorer ${others.join(' or ')}`;
}

/** @throws TagstreamError `config` where a loss does not train models with this scorer */
export function requireFitting(loss: Loss, scorer: ScorerName = 'linear'): void {
  if (fitsScorer(loss, scorer)) return;
  throw new TagstreamError(
    'config',
    `the loss ${loss.name} does not train models with the scorer ${scorer}`,
    { fix: fittingChoice(loss, scorer) },
  );
}
