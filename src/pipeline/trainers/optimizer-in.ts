import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { chosenOf } from '../options/one-of.js';
import type { TrainOptions } from '../options/train-options.js';

/**
 * The online optimizer that a choice names, with its options in a run of these settings.
 *
 * @throws TagstreamError `config` for an option that has no effect there
 */
export function optimizerIn(
  optimizers: readonly OptimizerComponent<never>[],
  chosen: Readonly<Record<string, unknown>>,
  { epochs, cluster }: Pick<Partial<TrainOptions>, 'epochs' | 'cluster'> = {},
): { readonly component: OptimizerComponent<never>; readonly options: unknown } {
  const { component, options } = chosenOf(optimizers, chosen);
  // Shards have an average for each round of theirs, and of a stream nobody knows the passes.
  const last = cluster === undefined ? 1 : 1 / cluster.shards;
  const endless = cluster === undefined ? undefined : Number.POSITIVE_INFINITY;
  const passes = epochs === undefined ? endless : epochs - 1 + last;
  if (passes === undefined || component.forPasses === undefined) return { component, options };
  return { component, options: component.forPasses(options as never, passes) };
}
