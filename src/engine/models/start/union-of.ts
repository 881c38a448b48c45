import { TagstreamError } from '../../core/errors.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { FingerprintInterner } from '../../features/index/fingerprint-interner.js';
import { canGrow } from '../../features/index/placed-index.js';
import type {
  Gazetteer,
  QuantisedVectors,
  Resources,
  WordClusters,
} from '../../features/resources/resources.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import type { TokenFunctions } from '../../features/template/token-function.js';
import { unitedTemplates } from '../../features/template/united-templates.js';
import { requireCapability } from '../../inference/scorers/scorers.js';
import { structureOf } from '../../inference/structures/structures.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { LearnedWords } from '../labels/dictionary-counts.js';
import { LabelSet } from '../labels/label-set.js';
import type { TransitionRules } from '../labels/transition-rules.js';
import { Model } from '../model.js';
import type { IndexSpec, ModelSpec, UsedPlugin } from '../model-spec.js';
import { observeWeights } from './add-weights.js';

/**
 * Returns a frozen model with all features of several linear chains, the labels of the first, and no weights yet. Each
 * of the chains keeps its potentials if its weights are put into these rows (`addWeights`).
 *
 * A transition is allowed if any of the models allows it. A word is in the tag dictionary if it is in all of the
 * models' dictionaries, with the union of its labels. Cost O(features of all models).
 *
 * @throws TagstreamError `config` if labels, columns, tokenizer, index or lists differ, or a model is not a linear
 *   chain; `template` if templates produce the same features in different ways; `too-large`
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
  if (canGrow(other)) new FingerprintInterner(index).rowsOf(other.fingerprints());
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

/** Describes which labels of one model another one lacks; empty if it has all. */
function labelsMissing(one: NamedModel, other: NamedModel): string {
  const { names } = one.model.labels;
  const missing = names.filter(name => other.model.labels.find(name) < 0);
  if (missing.length === 0) return '';
  const shown = missing.slice(0, 3).join(', ');
  return `${shown}${missing.length > 3 ? ', ...' : ''} only in ${one.source}`;
}

/**
 * Returns the words in the tag dictionaries of all models, each with the labels that any model gives it; undefined
 * if a model has no dictionary.
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

/**
 * Returns the specification of a linear chain with the features of several models: all their templates, lists and
 * plug-ins. The record format is that of the first model.
 *
 * @throws TagstreamError `config` if a model is not a linear chain, or the models cannot be combined; `template`
 */
function unitedSpec(models: readonly NamedModel[]): ModelSpec {
  const [first, ...others] = models;
  for (const each of models) requireLinear(each);
  for (const each of models) requireBuiltInTokenizer(each);
  const named = models.map(({ source, model: { spec } }) => ({ source, spec }));
  const templates = unitedTemplates(
    named.map(({ source, spec }) => ({
      source,
      templates: parseTemplates(spec.templates, source, spec.functions),
    })),
  );
  for (const { source, model } of others) {
    requireEqual('columns', first!.model.spec.columns, model.spec.columns, source);
    requireEqual('tokenizer', first!.model.spec.tokenize, model.spec.tokenize, source);
  }
  const { index: _, support: __, compressed: ___, ...own } = first!.model.spec;
  const { resources: ____, uses: _____, ...rest } = own;
  const specs = named.map(({ spec }) => spec);
  const resources = unitedLists(named);
  const uses = unitedPlugins(specs);
  const functions = unitedFunctions(specs);
  return {
    ...rest,
    templates,
    index: unitedIndex(named),
    support: specs.every(({ support }) => support === 'all') ? 'all' : 'observed',
    ...(resources === undefined ? {} : { resources }),
    ...(uses.length === 0 ? {} : { uses }),
    ...(functions.size === 0 ? {} : { functions }),
  };
}

interface NamedSpec {
  readonly source: string;
  readonly spec: ModelSpec;
}

/**
 * @throws TagstreamError `config` if a model has a learned tokenizer, because several models may
 * tokenize differently
 */
function requireBuiltInTokenizer({ source, model }: NamedModel): void {
  if (model.tokenizer === undefined) return;
  throw new TagstreamError(
    'config',
    'the model has a learned tokenizer, which a pool does not support',
    {
      place: { source },
      fix: 'train it with a built-in tokenizer, and give the pool records with tokens',
    },
  );
}

function requireLinear({ source, model }: NamedModel): void {
  const { name } = structureOf(model.spec);
  if (model.spec.encode !== undefined) throw noChain(source, 'has labels in a scheme of its own');
  if (model.first !== undefined) throw noChain(source, 'looks at the tags of a first model');
  if (model.extractor.readsLexicon)
    throw noChain(source, 'knows the words of its own corpus (%seen)');
  if (name !== 'chain') throw noChain(source, `has the structure ${name}`);
  if (model.spec.hidden !== undefined)
    throw noChain(source, 'sums over hidden states of its labels');
  requireCapability(model.spec.scorer, 'log-linear', `uniting ${source} with others`);
  if (model.parameters.voters === undefined) return;
  throw new TagstreamError('config', 'the model is a set of voters, not a single chain', {
    place: { source },
    fix: 'train it with perceptron, which averages the voters',
  });
}

function noChain(source: string, problem: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the model ${problem}, so it is not a linear chain of labels`,
    {
      place: { source },
      fix: 'train it with structure: chain, without hidden states, codes, parts and layers',
    },
  );
}

function requireEqual(what: string, one: unknown, other: unknown, source: string): void {
  const [a, b] = [one, other].map(value => JSON.stringify(value ?? {}));
  if (a === b) return;
  throw new TagstreamError('config', `the models differ in ${what}: ${a} -> ${b}`, {
    place: { source },
    fix: `train all of them with the same ${what}`,
  });
}

/**
 * Returns an index with separate rows for all features, or a hashed one if each feature has the same
 * row in all models.
 */
function unitedIndex(models: readonly NamedSpec[]): IndexSpec {
  const [first, ...others] = models;
  const { index } = first!.spec;
  if (models.every(({ spec }) => spec.index.mode === 'exact')) return { mode: 'exact', cutoff: 1 };
  for (const { source, spec } of others) {
    requireEqual('index', index, spec.index, source);
    if (linesOf(first!.spec) === linesOf(spec)) continue;
    throw new TagstreamError(
      'config',
      'models with different templates and hashed features cannot be united: the features share rows',
      {
        place: { source },
        fix: 'leave hashed out of the features and train again',
      },
    );
  }
  return index;
}

/** Returns the templates, in any order. */
function linesOf({ templates, functions }: ModelSpec): string {
  const set = parseTemplates(templates, undefined, functions);
  const lines = set.templates.map(({ source }) => source);
  return [...lines, ...(set.transitions ? ['B'] : [])].sort().join('\n');
}

function unitedLists(models: readonly NamedSpec[]): Resources | undefined {
  const united = { gazetteers: new Map(), clusters: new Map(), vectors: new Map() };
  for (const { source, spec } of models) {
    for (const kind of ['gazetteers', 'clusters', 'vectors'] as const) {
      for (const [name, list] of Object.entries(spec.resources?.[kind] ?? {})) {
        const known = united[kind].get(name) ?? list;
        if (!isSameList(known, list)) throw otherList(name, source);
        united[kind].set(name, list);
      }
    }
  }
  const present = Object.entries(united).filter(([, lists]) => lists.size > 0);
  if (present.length === 0) return undefined;
  return Object.fromEntries(present.map(([kind, lists]) => [kind, Object.fromEntries(lists)]));
}

type List = Gazetteer | WordClusters | QuantisedVectors;

/** Whether lists of one kind have the same contents. */
function isSameList(one: List, other: List): boolean {
  if (one.text !== other.text || one.fold !== other.fold) return false;
  if (!('numbers' in one && 'numbers' in other)) return true;
  return isEqual(one.numbers, other.numbers) && isEqual(one.steps, other.steps);
}

function isEqual(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

function otherList(name: string, source: string): TagstreamError {
  return new TagstreamError('config', `two models have different lists called ${name}`, {
    place: { source },
    fix: 'rename one of the two lists, and train its model again',
  });
}

function unitedPlugins(specs: readonly ModelSpec[]): UsedPlugin[] {
  const united = new Map<string, UsedPlugin>();
  for (const used of specs.flatMap(({ uses = [] }) => uses)) {
    const functions = [...(united.get(used.plugin)?.functions ?? []), ...used.functions];
    united.set(used.plugin, { ...used, functions: [...new Set(functions)] });
  }
  return [...united.values()];
}

function unitedFunctions(specs: readonly ModelSpec[]): TokenFunctions {
  return new Map(specs.flatMap(({ functions = new Map() }) => [...functions]));
}

/**
 * Returns rules that allow every transition allowed by any of several models with the same labels.
 */
function unitedRules(models: readonly NamedModel[], labels: LabelSet): TransitionRules {
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

/** A model with its name for errors. */
interface NamedModel {
  readonly source: string;
  readonly model: Model;
}
