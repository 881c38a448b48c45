import { TagstreamError } from '../../core/errors.js';
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
import type { LabelSet } from '../labels/label-set.js';
import type { TransitionRules } from '../labels/transition-rules.js';
import type { Model } from '../model.js';
import type { IndexSpec, ModelSpec, UsedPlugin } from '../model-spec.js';

/**
 * The specification of a linear chain with the features of several: all their templates, lists and plug-ins. What it
 * says of its records is what the first of them says.
 *
 * @throws TagstreamError `config` where a model is no linear chain, or they do not go together; `template`
 */
export function unitedSpec(models: readonly NamedModel[]): ModelSpec {
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
  const { index: _, support: __, resources: ___, uses: ____, ...rest } = first!.model.spec;
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

/** @throws TagstreamError `config` where a model has learned how texts are divided: each of several may divide them in its own way */
function requireBuiltInTokenizer({ source, model }: NamedModel): void {
  if (model.tokenizer === undefined) return;
  throw new TagstreamError(
    'config',
    'the model has a learned tokenizer, which models in a pool cannot have',
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
  throw new TagstreamError('config', 'the weights of the model vote, and are no single chain', {
    place: { source },
    fix: 'train it with perceptron, which averages them',
  });
}

function noChain(source: string, problem: string): TagstreamError {
  return new TagstreamError('config', `the model ${problem}, and is no linear chain of labels`, {
    place: { source },
    fix: 'train a chain, of structure: chain, without hidden states, codes and layers, to unite it with others',
  });
}

function requireEqual(what: string, one: unknown, other: unknown, source: string): void {
  const [a, b] = [one, other].map(value => JSON.stringify(value ?? {}));
  if (a === b) return;
  throw new TagstreamError('config', `the models differ in ${what}: ${a} -> ${b}`, {
    place: { source },
    fix: `train all of them with the same ${what}`,
  });
}

/** Rows of their own for all features; hashed ones only where each feature has the same row in all models. */
function unitedIndex(models: readonly NamedSpec[]): IndexSpec {
  const [first, ...others] = models;
  const { index } = first!.spec;
  if (models.every(({ spec }) => spec.index.mode === 'exact')) return { mode: 'exact', cutoff: 1 };
  for (const { source, spec } of others) {
    requireEqual('index', index, spec.index, source);
    if (linesOf(first!.spec) === linesOf(spec)) continue;
    throw new TagstreamError('config', 'hashed features of other templates share their rows', {
      place: { source },
      fix: 'leave hashed out of the features and train again: exact rows can be united',
    });
  }
  return index;
}

/** Templates, whatever their order. */
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

/** Whether lists of one kind say the same. */
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
  return new TagstreamError('config', `another model has another list called ${name}`, {
    place: { source },
    fix: 'give one of the two lists another name, and train its model again',
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

/** A model, and what errors call it. */
export interface NamedModel {
  readonly source: string;
  readonly model: Model;
}
