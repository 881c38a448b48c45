import { dirname, resolve } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import { keepSecretsInText } from '../../../engine/core/secrets.js';
import { requireNumbers, tableRoles } from '../../../engine/features/tables/table-roles.js';
import { parseTemplates } from '../../../engine/features/template/parse-templates.js';
import { scorerOf } from '../../../engine/inference/scorers/scorers.js';
import type { Plugin } from '../../../engine/interfaces/definitions.js';
import { descriptorOf } from '../../../formats/files/open-files.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { loadPlugins } from '../../plugins/load-plugins.js';
import type { Components } from '../catalogue/components.js';
import {
  changePipeline,
  createPipeline,
  type Pipeline,
  type PipelineParts,
} from '../definition/pipeline.js';
import { Checker } from '../file/check.js';
import { Substituted } from '../file/substituted.js';
import { type Path, parseYaml, type YamlDocument } from '../file/yaml-document.js';
import type { ChallengeOptions } from '../options/challenge-options.js';
import { defaultNames, namesKept } from '../options/model-option.js';
import { chosenOf } from '../options/one-of.js';
import { type TrainOptions, trainOptions } from '../options/train-options.js';
import { challengerOf } from '../plan/challengers.js';
import { firstBreach, pathOf } from '../rules/rule.js';
import { runRules } from '../rules/run-rules.js';
import { catalogueOf } from './catalogue.js';
import { checkOrder } from './check-order.js';
import { pipelineSchema, pipelineSchemaOf } from './pipeline-schema.js';

/** Options of `loadPipeline` and `parsePipeline`. */
export interface LoadOptions {
  /** `path=value` settings that override the file. */
  readonly set?: readonly string[];
  /** `path=value` settings. Each adds a challenger: a learner that differs from the pipeline in this setting. */
  readonly challenge?: readonly string[];
  /** Variables for `${VAR}`. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Plug-ins in addition to those that the file names: objects, or packages and files relative to the working directory. */
  readonly use?: readonly (string | Plugin)[];
}

/**
 * Reads and checks a pipeline file, and returns the pipeline. It runs nothing, and opens none of the files that the pipeline names.
 *
 * @param file the path of the file
 * @param options settings that override the file, variables and plug-ins
 * @throws TagstreamError `file`, `usage` (a wrong setting) or `config`, with line and column
 */
export function loadPipeline(file: string, options: LoadOptions = {}): Pipeline {
  requireArgument('loadPipeline: the file', file, kinds.text);
  const text = new TextDecoder().decode(readBytes(file));
  if (isOther(text, file)) {
    throw new TagstreamError('config', 'this is not a pipeline file', {
      place: { source: file },
      fix: `a pipeline file is YAML with version, source and stages; for labelled data write one: tagstream init ${file} --out pipeline.yaml`,
    });
  }
  return parsePipeline(text, file, options);
}

/** Returns whether a file has neither a YAML name nor a line that begins with a key of pipelines. */
function isOther(text: string, file: string): boolean {
  return (
    !isNamedAsPipeline(file) &&
    text.trim() !== '' &&
    !/^[ \t\uFEFF]*["']?(?:version|name|source|stages|train|model)["']?[ \t]*:/m.test(text)
  );
}

/**
 * Parses the text of a pipeline file, checks it, and returns the pipeline.
 *
 * @param file the path of the file, for errors; relative paths start at its folder, or at the working directory if it is standard
 *   input (`/dev/stdin`)
 * @param options settings that override the file, variables and plug-ins
 * @throws TagstreamError like `loadPipeline`
 */
export function parsePipeline(text: string, file: string, options: LoadOptions = {}): Pipeline {
  requireArgument('parsePipeline: the text', text, kinds.text);
  requireArgument('parsePipeline: the file', file, kinds.text);
  requireKnown('parsePipeline', options, ['set', 'challenge', 'environment', 'use']);
  return pipelineOf(parseYaml(text, file), file, options);
}

/**
 * Returns the pipeline of a parsed file, which may be part of another file.
 *
 * @throws TagstreamError like `loadPipeline`
 */
export function pipelineOf(yaml: YamlDocument, file: string, options: LoadOptions = {}): Pipeline {
  const checker = new Checker(yaml);
  checker.requireContents('tagstream init writes a pipeline for a labelled file');
  const { set = [], challenge = [] } = options;
  const value = withChallengers(applyOverrides(withoutNulls(yaml.value), set), challenge);
  const pipeline = pipelineOfValue(value, { yaml, file, checker, options });
  const { config, plan } = pipeline;
  const challenged = config.challenge as ChallengeOptions | undefined;
  if (challenged === undefined) return pipeline;
  if (plan.kind !== 'learn') {
    const problem = 'challenge compares learners on a stream that is read once';
    throw checker.fail(['challenge'], problem, 'leave train.epochs or challenge out');
  }
  const { challenge: _, ...base } = value as Record<string, unknown>;
  const challengers = Object.entries(challenged.learners).map(([name, settings]) => {
    const path: Path = ['challenge', 'learners', name];
    const changed = structuredClone(withoutNulls(base));
    try {
      for (const [key, own] of Object.entries(settings)) {
        override(changed, key, structuredClone(own));
      }
      const other = pipelineOfValue(withoutNulls(changed), { yaml, file, checker, options });
      return challengerOf(name, plan, other.plan);
    } catch (thrown) {
      if (!(thrown instanceof TagstreamError)) throw thrown;
      throw checker.fail(path, `the challenger ${name}: ${thrown.problem}`, thrown.fix);
    }
  });
  const part = { path: ['challenge'], options: challenged, challengers };
  const whole = changePipeline(pipeline, { challenge: part });
  checkPlan(whole, checker);
  return whole;
}

/** Inputs of a pipeline other than its contents. */
interface Given {
  readonly yaml: YamlDocument;
  readonly file: string;
  readonly checker: Checker;
  readonly options: LoadOptions;
}

/** Returns the pipeline of a file with the given contents, without its challengers. */
function pipelineOfValue(value: unknown, { yaml, file, checker, options }: Given): Pipeline {
  const substituted = new Substituted(value, {
    environment: options.environment ?? process.env,
    fail: (path, problem, fix) => checker.fail(path, problem, fix),
  });
  const baseDirectory = folderOf(file);
  const plugins = loadPlugins(usedBy(substituted.value, checker), baseDirectory);
  const given = loadPlugins(options.use ?? [], process.cwd());
  const catalogue = catalogueOf([...plugins, ...given]);
  checker.about = path => aboutPlugin(path, catalogue);
  const schema = plugins.length + given.length === 0 ? pipelineSchema : pipelineSchemaOf(catalogue);
  const checked = checker.parseSubstituted(schema, substituted);
  const { sources } = catalogue;
  const chosenStages = checked.stages.map(stage => chosenOf(catalogue.stages, stage));
  const train = trainSettings(checked.train, chosenStages, catalogue);
  const parts: PipelineParts = {
    name: checked.name,
    file,
    baseDirectory,
    catalogue,
    source: chosenOf(sources.items, checked.source),
    stages: chosenStages,
    bare: bareStages(substituted.value),
    train,
    firstWorkers: train?.workers ?? 1,
    model: typeof checked.model === 'object' ? checked.model.file : checked.model,
    names: namesKept(typeof checked.model === 'object' ? checked.model.names : defaultNames),
    deploy: checked.deploy,
    test: checked.test === undefined ? undefined : chosenOf(sources.items, checked.test),
    checks: checked.checks,
    sink: checked.sink,
    shutdownTimeout: checked.shutdownTimeout,
    deadLetters: checked.deadLetters,
    challenge: undefined,
    columns: checked.columns,
    config: train === checked.train ? checked : { ...checked, train },
    schema,
    place: path => yaml.place(path),
  };
  checkOrder(parts, checker);
  const pipeline = createPipeline(parts);
  if (checked.deploy !== undefined && !pipeline.trains) {
    throw checker.fail(['deploy'], 'the pipeline trains no model to deploy', 'leave deploy out');
  }
  return sharedByThreads(pipeline, checker);
}

/** Returns the contents of a file with a challenger for each `path=value` setting. */
function withChallengers(value: unknown, settings: readonly string[]): unknown {
  if (settings.length === 0) return value;
  const challengers = settings.map((setting, i) => {
    const { path, value: own } = parsedSetting(setting, '--challenge');
    return [`challenger-${i + 1}`, { [path]: own }] as const;
  });
  const file = value as { readonly challenge?: Partial<ChallengeOptions> };
  const { challenge = {} } = file;
  const learners = { ...challenge.learners, ...Object.fromEntries(challengers) };
  return { ...file, challenge: { ...challenge, learners } };
}

/**
 * Checks a pipeline. Workers of a stacked pipeline train the first models, each in its own thread, with any settings.
 * They share the training of the second model if its settings allow it; otherwise one thread trains it.
 *
 * @throws TagstreamError `config`
 */
function sharedByThreads(pipeline: Pipeline, checker: Checker): Pipeline {
  const { train } = pipeline;
  try {
    checkPlan(pipeline, checker);
    return pipeline;
  } catch (error) {
    if (train === undefined || train.workers === 1 || !isStacked(pipeline)) throw error;
    const alone = changePipeline(pipeline, { train: { ...train, workers: 1 } });
    try {
      checkPlan(alone, checker);
    } catch {
      throw error;
    }
    return alone;
  }
}

function checkPlan(pipeline: Pipeline, checker: Checker): void {
  const breach = firstBreach(pipeline.plan, runRules);
  if (breach !== undefined) {
    throw checker.fail(pathOf(pipeline.plan, breach.at), breach.problem, breach.fix);
  }
  checkTemplates(pipeline, checker);
}

/** Returns whether a pipeline trains a first model instead of reading one from a file. */
function isStacked({ plan }: Pipeline): boolean {
  const { from } = plan.features.options;
  return typeof from === 'string' && isNamedAsPipeline(from);
}

function isNamedAsPipeline(file: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(file);
}

/**
 * Returns the training settings, with those that the stages imply: an optimizer that needs one pass makes one over a
 * corpus, unless the file says that it reads a stream.
 */
function trainSettings(
  train: TrainOptions | undefined,
  stages: PipelineParts['stages'],
  { optimizers }: Components,
): TrainOptions | undefined {
  const optimize = stages.find(({ component: { name } }) => name === 'optimize');
  const [name = ''] = Object.keys(optimize?.options ?? {});
  const isDone = optimizers.find(name)?.onePass === true;
  if (!isDone || train?.epochs !== undefined || train?.corpusSize !== undefined) return train;
  return { ...(train ?? trainOptions.parse({})), epochs: 1 };
}

/**
 * Returns the base folder of relative paths; for an open file of the process, such as the standard input, the working
 * directory.
 */
function folderOf(file: string): string {
  return descriptorOf(file) === undefined ? dirname(resolve(file)) : process.cwd();
}

/** Returns the names of a checked file's stages without options. */
function bareStages(value: unknown): string[] {
  const { stages } = value as { readonly stages: readonly Readonly<Record<string, object>>[] };
  return stages
    .flatMap(stage => Object.entries(stage))
    .flatMap(([name, options]) => (Object.keys(options).length === 0 ? name : []));
}

/** Normalizes stages without options, written as only a name or with nothing after the colon. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const file = value as Record<string, unknown>;
  if (!Array.isArray(file.stages)) return value;
  const written = file.stages.map((stage: unknown) => {
    if (typeof stage === 'string') return { [stage]: {} };
    if (typeof stage !== 'object' || stage === null) return stage;
    return Object.fromEntries(Object.entries(stage).map(([key, options]) => [key, options ?? {}]));
  });
  return { ...file, stages: written };
}

/**
 * Returns the value of `use` in a pipeline file, which is needed before the rest of the file can be checked.
 *
 * @throws TagstreamError `config` with its position if it is not a list of names
 */
function usedBy(file: unknown, checker: Checker): readonly string[] {
  const { use = [] } = (typeof file === 'object' && file !== null ? file : {}) as { use?: unknown };
  const isList = Array.isArray(use) && use.every(name => typeof name === 'string' && name !== '');
  if (isList) return use as readonly string[];
  throw checker.fail(['use'], 'a list of packages and files is expected', 'use: [./mine.mjs]');
}

/**
 * Returns the plug-in that owns the component at a path of a pipeline file; the innermost one if components are nested,
 * such as a transport in a source.
 */
function aboutPlugin(path: Path, { plugins, transports }: Components): string | undefined {
  const known = transports.items.some(({ name }) => path.includes(name));
  if (namesTransport(path) && !known) return ofPlugins;
  let depth = -1;
  let about: string | undefined;
  for (const { name: plugin, module, losses, optimizers, codecs, stages, transports } of plugins) {
    for (const [kind, components] of Object.entries({
      'a loss': losses,
      'an optimizer': optimizers,
      'a codec': codecs,
      'a stage': stages,
      'a transport': transports,
    })) {
      for (const { name } of components as readonly { name: string }[]) {
        const found = path.lastIndexOf(name);
        if (found <= depth) continue;
        depth = found;
        const from = module === undefined ? '' : ` --use ${module.named}`;
        about = `${name} is ${kind} of the plug-in ${plugin}: tagstream components ${name}${from} lists its options`;
      }
    }
  }
  return about;
}

/** Returns whether the value at a path names a transport. */
function namesTransport([section, format, key]: Path): boolean {
  return section === 'sink' ? format === 'to' : key === 'from' && section === 'source';
}

const ofPlugins =
  'transports other than nats come from plug-ins: name the package or file under use, as in use: [./queue.mjs]';

/**
 * Checks templates in the pipeline file itself, so that errors have their line.
 *
 * @throws TagstreamError `template` at the first wrong template
 */
function checkTemplates(
  { catalogue, plan: { source, features } }: Pick<Pipeline, 'catalogue' | 'plan'>,
  checker: Checker,
): void {
  const { templates, columns } = features.options;
  if (!Array.isArray(templates)) return;
  const lines = templates.map(String);
  try {
    const parsed = parseTemplates(lines.join('\n'), undefined, catalogue.functions);
    if (!scorerOf(features.scorer).capabilities.includes('tables')) return;
    const names = columns ?? source.component.columns(source.options);
    const roles = tableRoles(parsed, names);
    requireNumbers(roles, features);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError) || thrown.place.line === undefined) throw thrown;
    const { problem, fix, place } = thrown;
    const wrong = checker.fail(
      [...features.path, 'templates', itemAt(lines, place.line!)],
      problem,
      fix,
    );
    throw new TagstreamError('template', wrong.problem, {
      place: wrong.place,
      ...(fix === undefined ? {} : { fix }),
      cause: thrown,
    });
  }
}

/** Returns the index of the item that contains a line of the joined items. */
function itemAt(items: readonly string[], line: number): number {
  let before = 0;
  return items.findIndex(item => {
    before += item.split(/\r?\n/).length;
    return line <= before;
  });
}

/**
 * Returns a copy of a parsed file with `path=value` settings applied; values are read as YAML.
 *
 * A stage can be given by name instead of its number: `stages.optimize.sgd.eta0=0.05`.
 *
 * @throws TagstreamError `usage` if a setting has no `=`, or leads into a value that has no parts
 * @example
 * applyOverrides({ train: { epochs: 3 } }, ['train.epochs=5', 'name=x']) // => { train: { epochs: 5 }, name: 'x' }
 */
export function applyOverrides(value: unknown, settings: readonly string[]): unknown {
  const copy = structuredClone(value);
  for (const setting of settings) {
    const { path, value: own } = parsedSetting(setting, '--set');
    override(copy, path, own);
  }
  return copy;
}

/** Parses a `path=value` setting, its value as YAML. */
function parsedSetting(setting: string, option: string): { path: string; value: unknown } {
  const equals = setting.indexOf('=');
  if (equals < 1) {
    const fix = `write ${option} key.key=value`;
    keepSecretsInText(setting);
    throw equals === 0
      ? new TagstreamError('usage', `${option} has a value without a key`, { fix })
      : new TagstreamError('usage', `${option} ${setting} has no value`, { fix });
  }
  // The value is not shown, because it may be secret.
  const path = setting.slice(0, equals);
  return { path, value: parsedValue(`${option} ${path}`, setting.slice(equals + 1)) };
}

/** Sets the value at a dotted path. */
function override(root: unknown, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  let holder = holderOf(root, path);
  for (const key of keys) {
    if (Array.isArray(holder) && !/^\d+$/.test(key)) {
      holder = holderOf(itemWith(holder, key), path);
    }
    if (Object.hasOwn(holder, key)) {
      holder = holderOf(holder[key], path);
    } else {
      const fresh = {};
      define(holder, key, fresh);
      holder = fresh;
    }
  }
  if (Array.isArray(holder) && !/^\d+$/.test(last)) holder = holderOf(itemWith(holder, last), path);
  define(holder, last, value);
}

/** Parses a value as YAML, except `-`, which is the standard input or output, not a list. */
function parsedValue(setting: string, text: string): unknown {
  if (text === '-') return text;
  try {
    return parseYaml(text, setting).value;
  } catch (cause) {
    keepSecretsInText(setting.concat('=', text));
    throw new TagstreamError('usage', `cannot parse the value of ${setting}`, {
      fix: 'it is parsed as YAML: quote values with colons or braces',
      cause,
    });
  }
}

/** Sets a key as an own property, whatever its name. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  const property = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holder, key, property);
}

function holderOf(node: unknown, setting: string): Record<string, unknown> {
  if (typeof node === 'object' && node !== null) return node as Record<string, unknown>;
  throw new TagstreamError('usage', `cannot set ${setting}: a value on this path has no keys`, {
    fix: 'check the path against the pipeline file',
  });
}

/** Returns the index of the first stage with a name in a list. */
function itemWith(list: readonly unknown[], name: string): unknown {
  return list.find(item => typeof item === 'object' && item !== null && Object.hasOwn(item, name));
}
