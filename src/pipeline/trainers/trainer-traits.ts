import type { ScorerName } from '../../core/scorer-name.js';
import type { Refusal } from '../../core/training/refusal.js';
import { scorerOf } from '../../inference/scorers/scorers.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** A batch optimizer with its options. */
interface ChosenTrainer {
  readonly component: TrainerComponent<never>;
  readonly options: unknown;
}

/** Whether a batch optimizer with its options works in one thread only. */
export function worksAlone({ component, options }: ChosenTrainer): boolean {
  return component.oneThread?.(options as never) ?? false;
}

/** Whether a batch optimizer with its options needs scores that are linear in the weights. */
export function needsLinear({ component, options }: ChosenTrainer): boolean {
  return component.logLinear?.(options as never) ?? false;
}

/** The scorer whose models a batch optimizer with its options alone makes; undefined where there is none. */
export function makesOf({ component, options }: ChosenTrainer): ScorerName | undefined {
  return component.makes?.(options as never);
}

/** What to say of an optimizer and a scorer that do not go together; undefined where they do. */
export function unfitForScorer(
  optimizer: string,
  scorer: ScorerName,
  makes: ScorerName | undefined,
): Refusal | undefined {
  const { madeBy } = scorerOf(scorer);
  const fix = makes === undefined ? madeBy : `use the scorer ${makes}, or another optimizer`;
  if (makes === scorer || fix === undefined) return undefined;
  return {
    problem: `the optimizer ${optimizer} does not train models with the scorer ${scorer}`,
    fix,
  };
}
