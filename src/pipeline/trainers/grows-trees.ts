import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** Whether a trainer with its options makes the trees of models with the scorer trees. */
export function growsTrees(
  chosen: { readonly component: TrainerComponent<never>; readonly options: unknown } | undefined,
): boolean {
  return chosen?.component.growsTrees?.(chosen.options as never) ?? false;
}

/** What to say of an optimizer and a scorer of which only one is of trees; undefined where they go together. */
export function unfitForTrees(
  optimizer: string,
  scorer: ScorerName,
  grows: boolean,
): { readonly problem: string; readonly fix: string } | undefined {
  if (grows === (scorer === 'trees')) return undefined;
  return {
    problem: `the optimizer ${optimizer} does not train models with the scorer ${scorer}`,
    fix: grows
      ? 'use the scorer trees, or another optimizer'
      : 'use optimize: { trees: {} }, alone or after another one with switch, or the scorer linear',
  };
}
