import type { Refusal } from '../../../engine/core/component.js';
import type { ScorerName } from '../../../engine/core/scorer.js';
import { scorerOf } from '../../../engine/inference/scorers/scorers.js';
import type { Loss } from '../../../engine/losses/loss.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import type { TrainOptions } from '../options/train-options.js';

/** A batch optimizer with its options. */
interface ChosenTrainer {
  readonly component: TrainerComponent<never>;
  readonly options: unknown;
}

/** Returns whether a batch optimizer with its options only works in one thread. */
export function worksAlone({ component, options }: ChosenTrainer): boolean {
  return component.oneThread?.(options as never) ?? false;
}

/**
 * Returns whether a batch optimizer with its options needs scores that are linear in the weights.
 */
export function needsLinear({ component, options }: ChosenTrainer): boolean {
  return component.logLinear?.(options as never) ?? false;
}

/**
 * Returns the only scorer with which a batch optimizer works, given its options; undefined if it works with several.
 */
export function makesOf({ component, options }: ChosenTrainer): ScorerName | undefined {
  return component.makes?.(options as never);
}

/** Returns the error about an optimizer and a scorer that cannot be combined; undefined if they can. */
export function unfitForScorer(
  optimizer: string,
  scorer: ScorerName,
  makes: ScorerName | undefined,
): Refusal | undefined {
  const { madeBy } = scorerOf(scorer);
  const fix = makes === undefined ? madeBy : `use the scorer ${makes}, or another optimizer`;
  if (makes === scorer || fix === undefined) return undefined;
  return {
    problem: `the optimizer ${optimizer} cannot be combined with the scorer ${scorer}`,
    fix,
  };
}

/** Returns the losses that an online optimizer supports, if the given loss is not among them. */
export function onlineLoss(
  { losses }: OptimizerComponent<never>,
  { name, exclusive = false }: Loss,
): string | undefined {
  const goes = losses === undefined ? !exclusive : losses.includes(name);
  return goes ? undefined : (losses?.join(' or ') ?? `log, or another one except ${name}`);
}

/** Returns the losses for a batch optimizer that needs a gradient everywhere, if the given loss is not smooth. */
export function smoothLoss({ smooth }: Loss): string | undefined {
  return smooth ? undefined : 'log, or another smooth one';
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

/** Returns the reason why a loss cannot be combined with an optimizer; undefined if it can. */
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

/** An online optimizer with its options. */
type ChosenOnline = Pick<
  Extract<ChosenOptimizer, { kind: 'online' | 'cluster' }>,
  'component' | 'options'
>;

/**
 * Returns an online optimizer with its options for a run with the given settings.
 *
 * @throws TagstreamError `config` for an option without effect in the run
 */
export function optimizerIn(
  { component, options }: ChosenOnline,
  { epochs, cluster }: Pick<Partial<TrainOptions>, 'epochs' | 'cluster'> = {},
): ChosenOnline {
  // Shards have one average per round, and the number of passes over a stream is unknown.
  const last = cluster === undefined ? 1 : 1 / cluster.shards;
  const endless = cluster === undefined ? undefined : Number.POSITIVE_INFINITY;
  const passes = epochs === undefined ? endless : epochs - 1 + last;
  if (passes === undefined || component.forPasses === undefined) return { component, options };
  return { component, options: component.forPasses(options as never, passes) };
}
