import type { Refusal } from '../../../engine/core/component.js';
import type { Path } from '../file/yaml-document.js';
import type { Plan, Training } from '../plan/plan.js';

/** A part of a plan. `added` needs an index; `model` contains the scorer, the structure and similar options. */
export type PartName =
  | 'source'
  | 'tokenize'
  | 'features'
  | 'model'
  | 'join'
  | 'batch'
  | 'replay'
  | 'loss'
  | 'optimizer'
  | 'evaluation'
  | 'ask'
  | 'checkpoint'
  | 'added'
  | 'decode'
  | 'train'
  | 'columns'
  | 'challenge'
  | 'sink'
  | 'deadLetters';

/** A part of a plan, or one of its options. */
export type At = readonly [PartName, ...(string | number)[]];

/** A rule that a plan breaks: the place, the reason, and the fix. */
export interface Breach extends Refusal {
  readonly at: At;
}

/** Returns how a plan breaks the rule, or undefined if it does not. */
export type Rule<Of> = (plan: Of) => Breach | undefined;

/** A rule with one condition. */
export interface Stated<Of> {
  /** Returns whether a plan breaks it. */
  when(plan: Of): boolean;
  readonly at: At | ((plan: Of) => At);
  readonly problem: string | ((plan: Of) => string);
  readonly fix: string | ((plan: Of) => string);
}

/** Builds a rule from its condition, place, problem and fix. */
export function rule<Of>({ when, at, problem, fix }: Stated<Of>): Rule<Of> {
  const text = (of: string | ((plan: Of) => string), plan: Of) =>
    typeof of === 'string' ? of : of(plan);
  return plan =>
    when(plan)
      ? {
          at: typeof at === 'function' ? at(plan) : at,
          problem: text(problem, plan),
          fix: text(fix, plan),
        }
      : undefined;
}

/** Applies rules only to plans for which a predicate holds. */
export function where<Of, Narrow extends Of>(
  holds: (plan: Of) => plan is Narrow,
  rules: readonly Rule<Narrow>[],
): Rule<Of> {
  return plan => (holds(plan) ? firstBreach(plan, rules) : undefined);
}

/** Returns the breach of the first rule that a plan breaks. */
export function firstBreach<Of>(plan: Of, rules: readonly Rule<Of>[]): Breach | undefined {
  for (const each of rules) {
    const breach = each(plan);
    if (breach !== undefined) return breach;
  }
  return undefined;
}

/** Returns the path of a breach in the pipeline file. */
export function pathOf(plan: Plan | Training, [name, ...steps]: At): Path {
  if (name === 'model') return [...plan.features.modelPath, ...steps];
  if (name === 'added' && 'added' in plan) {
    const [i, ...inside] = steps;
    return [...plan.added[i as number]!.path, ...inside];
  }
  const part = (plan as Partial<Record<PartName, { readonly path: Path }>>)[name];
  return [...(part?.path ?? [name]), ...steps];
}
