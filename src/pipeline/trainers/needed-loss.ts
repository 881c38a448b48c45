import type { Loss } from '../../losses/loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';

/** What losses an online optimizer goes with, if this one is none of them. */
export function onlineLoss(
  { losses }: OptimizerComponent<never>,
  { name, exclusive = false }: Loss,
): string | undefined {
  const goes = losses === undefined ? !exclusive : losses.includes(name);
  return goes ? undefined : (losses?.join(' or ') ?? `log, or another but ${name}`);
}

/** What losses a batch optimizer goes with that needs a gradient everywhere, if this one has none. */
export function smoothLoss({ smooth }: Loss): string | undefined {
  return smooth ? undefined : 'log, or another that is smooth';
}
