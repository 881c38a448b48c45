import type { ScorerName } from '../../core/scorer-name.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';

/** Scorers whose models one optimizer makes, and how a pipeline file asks for that. */
const ways: Partial<Record<ScorerName, string>> = {
  trees:
    'use optimize: { trees: {} }, alone or after another one with switch, or the scorer linear',
  'support-vectors': 'use optimize: { support-vectors: {} }, or the scorer linear',
};

/** The scorer whose models a trainer with its options alone makes; undefined where there is none. */
export function madeScorer(
  chosen: { readonly component: TrainerComponent<never>; readonly options: unknown } | undefined,
): ScorerName | undefined {
  return chosen?.component.makes?.(chosen.options as never);
}

/** What to say of an optimizer and a scorer that do not go together; undefined where they do. */
export function unfitForScorer(
  optimizer: string,
  scorer: ScorerName,
  makes: ScorerName | undefined,
): { readonly problem: string; readonly fix: string } | undefined {
  const fix = makes === undefined ? ways[scorer] : `use the scorer ${makes}, or another optimizer`;
  if (makes === scorer || fix === undefined) return undefined;
  return {
    problem: `the optimizer ${optimizer} does not train models with the scorer ${scorer}`,
    fix,
  };
}
