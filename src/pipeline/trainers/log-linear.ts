import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** Whether a trainer with its options needs scores that are linear in the weights. */
export function logLinear(chosen: {
  readonly component: TrainerComponent<never>;
  readonly options: unknown;
}): boolean {
  return chosen.component.logLinear?.(chosen.options as never) ?? false;
}
