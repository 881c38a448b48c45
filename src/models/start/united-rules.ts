import type { LabelSet } from '../labels/label-set.js';
import type { TransitionRules } from '../labels/transition-rules.js';
import type { NamedModel } from './named-model.js';

/** Rules that allow each transition that one of several models with the same labels allows. */
export function unitedRules(models: readonly NamedModel[], labels: LabelSet): TransitionRules {
  const [first] = models;
  const { scheme } = first!.model.transitionRules;
  const also = new Map<string, readonly [number, number]>();
  for (const { model } of models) {
    const rules = model.transitionRules;
    if (rules.scheme !== scheme) return { scheme: 'none', also: [] };
    const numberOf = (y: number) => (y < 0 ? y : labels.find(model.labels.name(y)));
    for (const [from, to] of rules.also) {
      const pair = [numberOf(from), numberOf(to)] as const;
      also.set(pair.join(' '), pair);
    }
  }
  const pairs = [...also.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { scheme, also: pairs };
}
