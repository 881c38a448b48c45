import { TagstreamError } from '../../core/errors.js';
import type { Loss } from '../../losses/loss.js';
import { losses } from '../../losses/losses.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import type { GroupMode } from './worker-group.js';

/**
 * The optimizer of a name, which is all that can be sent to another thread.
 *
 * @param known those that threads know
 * @throws TagstreamError `config` if threads cannot share its work, or not in this mode
 */
export function groupOptimizer(
  name: string,
  mode: GroupMode,
  known: readonly OptimizerComponent<never>[] = optimizers,
): OptimizerComponent<never> {
  const component = found(known, name, 'optimizer');
  if (mode === 'deterministic' || component.hogwild === true) return component;
  throw new TagstreamError('config', `the optimizer ${name} cannot train in the mode ${mode}`, {
    fix: 'use mode: deterministic, or workers: 1',
  });
}

/**
 * The loss itself.
 *
 * @throws TagstreamError `config` if it cannot be sent to another thread
 */
export function groupLoss(loss: Loss): Loss {
  if (sharedLoss(loss) === undefined) throw unshared(losses, loss.name, 'loss');
  return loss;
}

function found<Item extends { readonly name: string }>(
  items: readonly Item[],
  name: string,
  kind: string,
): Item {
  const item = items.find(candidate => candidate.name === name);
  if (item !== undefined) return item;
  throw unshared(items, name, kind);
}

function unshared(
  items: readonly { readonly name: string }[],
  name: string,
  kind: string,
): TagstreamError {
  const names = items.map(candidate => candidate.name).join(', ');
  return new TagstreamError('config', `several workers cannot train with the ${kind} ${name}`, {
    fix: `use one of ${names}, or workers: 1`,
  });
}
