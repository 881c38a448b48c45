import type { Refusal } from '../../core/training/refusal.js';
import type { Loss } from '../../losses/loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';

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

/** An optimizer with its options. */
export type ChosenOptimizer =
  | {
      readonly kind: 'batch';
      readonly component: TrainerComponent<never>;
      readonly options: unknown;
    }
  | {
      readonly kind: 'online' | 'cluster';
      readonly component: OptimizerComponent<never>;
      readonly options: unknown;
    };

/** Why a loss does not go with an optimizer; undefined where it does. */
export function lossRefusal(optimizer: ChosenOptimizer, loss: Loss): Refusal | undefined {
  const needed = neededLoss(optimizer, loss);
  if (needed === undefined) return undefined;
  return {
    problem: `the optimizer ${optimizer.component.name} does not support the loss ${loss.name}`,
    fix: `use the loss ${needed}`,
  };
}

function neededLoss({ kind, component, options }: ChosenOptimizer, loss: Loss): string | undefined {
  if (kind !== 'batch') return onlineLoss(component, loss);
  return component.needs === undefined ? smoothLoss(loss) : component.needs(options as never, loss);
}
