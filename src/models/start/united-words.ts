import type { LearnedWords } from '../labels/dictionary-counts.js';
import type { LabelSet } from '../labels/label-set.js';
import type { NamedModel } from './named-model.js';

/**
 * The words that the tag dictionaries of all models have, each with the labels that any of them gives it; undefined
 * where a model has no dictionary.
 */
export function unitedWords(
  models: readonly NamedModel[],
  labels: LabelSet,
): LearnedWords | undefined {
  const found = new Map<string, { times: number; readonly labels: Set<number> }>();
  for (const { model } of models) {
    const words = model.learnedWords;
    if (words === undefined) return undefined;
    for (const [word, numbers] of words) {
      const entry = found.get(word) ?? { times: 0, labels: new Set<number>() };
      found.set(word, entry);
      entry.times += 1;
      for (const y of numbers) entry.labels.add(labels.find(model.labels.name(y)));
    }
  }
  return [...found]
    .filter(([, { times }]) => times === models.length)
    .map(([word, entry]) => [word, [...entry.labels].sort((a, b) => a - b)] as const);
}
