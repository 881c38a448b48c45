import type { ClusterOptions } from '../../io/nats/training/cluster-options.js';
import type { LossComponent } from '../../losses/loss-component.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { chosenOf } from '../options/one-of.js';
import type { BatchOptions, ContributeOptions } from '../options/stage-options.js';
import type { BatchPart, LossPart, OptimizerPart, Part } from './plan.js';

type Named = Readonly<Record<string, unknown>>;

/** Minibatches of these options. */
export function chooseBatch(part: Part<BatchOptions>): BatchPart {
  const { sentences, tokens } = part.options;
  // A sentence has a token at least.
  const byTokens = tokens ?? (sentences === undefined ? 1 : Number.POSITIVE_INFINITY);
  return { ...part, most: Math.min(sentences ?? Number.POSITIVE_INFINITY, byTokens) };
}

/** The loss that the options of the stage `contribute` name. */
export function chooseLoss(
  { path, options: { loss, cost, missCost } }: Part<ContributeOptions>,
  losses: readonly LossComponent<never>[],
): LossPart {
  const named = typeof loss === 'string' ? { [loss]: { cost, missCost } } : loss;
  const { component, options: own } = chosenOf(losses, named);
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { path, component, options: Object.fromEntries(given) };
}

/** The optimizer that a choice names, online or batch: `{ name: options }`. */
export function chooseOptimizer(
  { path, options: named }: Part<Named>,
  optimizers: readonly OptimizerComponent<never>[],
  trainers: readonly TrainerComponent<never>[],
  cluster?: ClusterOptions | undefined,
): OptimizerPart {
  if (trainers.some(({ name }) => Object.hasOwn(named, name))) {
    return { kind: 'batch', path, ...chosenOf(trainers, named), cluster };
  }
  const chosen = chosenOf(optimizers, named);
  if (cluster === undefined) return { kind: 'online', path, ...chosen };
  return { kind: 'cluster', path, ...chosen, cluster };
}
