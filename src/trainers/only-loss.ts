import type { Loss } from '../losses/loss.js';

/** What `TrainerComponent.needs` says where a trainer goes with one loss alone. */
export function onlyLoss(name: Loss['name']): (_: unknown, loss: Loss) => string | undefined {
  return (_, loss) => (loss.name === name ? undefined : name);
}
