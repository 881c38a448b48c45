import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** Whether a trainer with its options works in one thread only. */
export function alone(chosen: {
  readonly component: TrainerComponent<never>;
  readonly options: unknown;
}): boolean {
  return chosen.component.oneThread?.(chosen.options as never) ?? false;
}
