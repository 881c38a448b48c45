import { TagstreamError } from '../../core/errors.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { FingerprintInterner } from '../../features/index/fingerprint-interner.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { LearnedWords } from '../labels/dictionary-counts.js';
import { LabelSet } from '../labels/label-set.js';
import { Model } from '../model.js';
import { observeWeights } from './add-weights.js';
import { type NamedModel, unitedRules, unitedSpec } from './united-spec.js';

/**
 * A frozen model with all features of several linear chains, the labels of the first, and no weights yet: each of them
 * has, with its own weights in these rows (`addWeights`), the potentials that it has by itself.
 *
 * A transition is allowed that one of them allows. A word is in the tag dictionary if it is in all of theirs, and has
 * the labels that it has in any. Cost: O(features of all).
 *
 * @throws TagstreamError `config` where labels, columns, tokenizer, index or lists differ, or one of them is no linear
 *   chain; `template` where their templates make the same features of different things; `too-large`
 */
export function unionOf(models: readonly NamedModel[], kernel: Kernel): Model {
  const spec = unitedSpec(models);
  requireSameLabels(models);
  const labels = new LabelSet(models[0]!.model.labels.names);
  const words = unitedWords(models, labels);
  const rules = unitedRules(models, labels);
  const { dictionary: _, ...rest } = spec;
  const parts = { labels, kernel, rules, ...(words === undefined ? {} : { words }) };
  const model = new Model(words === undefined ? rest : spec, parts);
  for (const { model: each } of models) {
    intern(model.stateIndex, each.stateIndex);
    intern(model.edgeIndex, each.edgeIndex);
  }
  model.parameters.layOutFor(labels.size);
  model.reserve();
  for (const { model: each } of models) observeWeights(model, each);
  model.frozen = true;
  return model;
}

function intern(index: FeatureIndex, other: FeatureIndex): void {
  if (other instanceof ExactIndex) new FingerprintInterner(index).rowsOf(other.fingerprints());
}

function requireSameLabels(models: readonly NamedModel[]): void {
  const [first, ...others] = models;
  for (const other of others) {
    const only = [labelsMissing(first!, other), labelsMissing(other, first!)].filter(
      text => text !== '',
    );
    if (only.length === 0) continue;
    throw new TagstreamError('config', `the models differ in labels: ${only.join('; ')}`, {
      place: { source: other.source },
      fix: 'train all of them on data with the same labels',
    });
  }
}

/** Which labels of one model another one lacks; empty where that is none. */
function labelsMissing(one: NamedModel, other: NamedModel): string {
  const { names } = one.model.labels;
  const missing = names.filter(name => other.model.labels.find(name) < 0);
  if (missing.length === 0) return '';
  const shown = missing.slice(0, 3).join(', ');
  return `${shown}${missing.length > 3 ? ', ...' : ''} only in ${one.source}`;
}

/**
 * The words that the tag dictionaries of all models have, each with the labels that any of them gives it; undefined
 * where a model has no dictionary.
 */
function unitedWords(models: readonly NamedModel[], labels: LabelSet): LearnedWords | undefined {
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
