import { TagstreamError } from '../core/errors.js';
import type { ScorerName } from '../core/scorer.js';
import { scorerOf, scorers } from '../inference/scorers/scorers.js';
import { exponentialLoss } from './exponential-loss.js';
import { hingeLoss } from './hinge-loss.js';
import { jointLoss } from './joint-loss.js';
import { localLogLoss } from './local-log-loss.js';
import { logLoss } from './log-loss.js';
import type { Loss } from './loss.js';
import { perceptronLoss } from './perceptron-loss.js';
import { pointwiseExponentialLoss } from './pointwise/pointwise-exponential-loss.js';
import { pointwiseLogLoss } from './pointwise/pointwise-log-loss.js';
import { softmaxMarginLoss } from './softmax-margin.js';

/** All losses that pipeline files can name, with default options. */
export const losses: readonly Loss[] = [
  logLoss,
  localLogLoss,
  exponentialLoss,
  pointwiseLogLoss,
  pointwiseExponentialLoss,
  softmaxMarginLoss,
  hingeLoss,
  perceptronLoss,
  jointLoss,
];

/** Returns whether a loss trains models with this scorer. */
export function fitsScorer({ scorers: fitting }: Loss, scorer: ScorerName): boolean {
  return fitting?.includes(scorer) ?? scorerOf(scorer).capabilities.includes('gradients');
}

/** Returns the fix for a loss that does not train models with this scorer. */
export function fittingChoice(loss: Loss, scorer: ScorerName): string {
  const names = losses.filter(each => fitsScorer(each, scorer)).map(({ name }) => name);
  const others = scorers.filter(each => fitsScorer(loss, each.name)).map(({ name }) => name);
  return `use one of the losses ${names.join(', ')}, or the scorer ${others.join(' or ')}`;
}

/** @throws TagstreamError `config` if a loss does not train models with this scorer */
export function requireFitting(loss: Loss, scorer: ScorerName = 'linear'): void {
  if (fitsScorer(loss, scorer)) return;
  throw new TagstreamError(
    'config',
    `the loss ${loss.name} cannot be combined with the scorer ${scorer}`,
    { fix: fittingChoice(loss, scorer) },
  );
}
