import { dirname, resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import { descriptorOf } from '../../io/files/descriptor-of.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import type { Plugin } from '../../plugins/definitions.js';
import { loadPlugins } from '../../plugins/load-plugins.js';
import type { Components } from '../catalogue/components.js';
import { createPipeline, type Pipeline, type PipelineParts } from '../definition/pipeline.js';
import { Checker } from '../file/check.js';
import { applyOverrides } from '../file/overrides.js';
import { Substituted } from '../file/substituted.js';
import { parseYaml, type YamlDocument } from '../file/yaml-document.js';
import { defaultNames, namesKept } from '../options/model-option.js';
import { chosenOf } from '../options/one-of.js';
import { type TrainOptions, trainOptions } from '../options/train-options.js';
import { aboutPlugin } from '../plugins/about-plugin.js';
import { usedBy } from '../plugins/used-by.js';
import { firstBreach, pathOf } from '../rules/rule.js';
import { runRules } from '../rules/run-rules.js';
import { catalogueOf } from './catalogue.js';
import { checkOrder } from './check-order.js';
import { checkTemplates } from './check-templates.js';
import { pipelineSchema, pipelineSchemaOf } from './pipeline-schema.js';

/** What a pipeline file is read with. */
export interface LoadOptions {
  /** `path=value` settings that override the file. */
  readonly set?: readonly string[];
  /** Variables for `${VAR}`; default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Plug-ins beside those that the file names: themselves, or packages and files from the working directory. */
  readonly use?: readonly (string | Plugin)[];
}

/**
 * Reads and checks a pipeline file. Runs nothing, and opens no file that it names.
 *
 * @throws TagstreamError `file`, `usage` (a wrong setting) or `config`, with line and column
 */
export function loadPipeline(file: string, options: LoadOptions = {}): Pipeline {
  requireArgument('loadPipeline: the file', file, kinds.text);
  const text = new TextDecoder().decode(readBytes(file));
  if (isOther(text, file)) {
    throw new TagstreamError('config', 'this is no pipeline file', {
      place: { source: file },
      fix: `a pipeline file is YAML with version, source and stages; for labelled data write one: tagstream init ${file} --out pipeline.yaml`,
    });
  }
  return parsePipeline(text, file, options);
}

/** Whether a file neither is named as YAML nor has a key of pipelines at the beginning of a line. */
function isOther(text: string, file: string): boolean {
  return (
    !/\.(?:ya?ml|json)$/i.test(file) &&
    text.trim() !== '' &&
    !/^\s*["']?(?:version|name|source|stages|train|model)["']?\s*:/m.test(text)
  );
}

/**
 * Parses a pipeline from the text of a file. Relative paths start at the folder of `file`, or where the process runs if
 * that is the standard input (`/dev/stdin`).
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function parsePipeline(text: string, file: string, options: LoadOptions = {}): Pipeline {
  requireArgument('parsePipeline: the text', text, kinds.text);
  requireArgument('parsePipeline: the file', file, kinds.text);
  requireKnown('parsePipeline', options, ['set', 'environment', 'use']);
  return pipelineOf(parseYaml(text, file), file, options);
}

/**
 * A pipeline from what has been read of a file, which may be a part of another file.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function pipelineOf(yaml: YamlDocument, file: string, options: LoadOptions = {}): Pipeline {
  const checker = new Checker(yaml);
  checker.requireContents('tagstream init writes a pipeline for a labelled file');
  const overridden = applyOverrides(withoutNulls(yaml.value), options.set ?? []);
  const substituted = new Substituted(overridden, {
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
    train,
    model: typeof checked.model === 'object' ? checked.model.file : checked.model,
    names: namesKept(typeof checked.model === 'object' ? checked.model.names : defaultNames),
    test: checked.test === undefined ? undefined : chosenOf(sources.items, checked.test),
    checks: checked.checks,
    sink: checked.sink,
    shutdownTimeout: checked.shutdownTimeout,
    deadLetters: checked.deadLetters,
    config: train === checked.train ? checked : { ...checked, train },
    place: path => yaml.place(path),
  };
  checkOrder(parts, checker);
  const pipeline = createPipeline(parts);
  const breach = firstBreach(pipeline.plan, runRules);
  if (breach !== undefined) {
    throw checker.fail(pathOf(pipeline.plan, breach.at), breach.problem, breach.fix);
  }
  checkTemplates(pipeline, checker);
  return pipeline;
}

/**
 * The settings of training with what the stages imply: an optimizer that is done after one pass takes one over a corpus,
 * where the file does not say that it reads a stream.
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

/** Relative paths in what comes through an open file of the process, as the standard input, start where the process runs. */
function folderOf(file: string): string {
  return descriptorOf(file) === undefined ? dirname(resolve(file)) : process.cwd();
}

/** A stage without options may stand as its bare name, or with nothing after the colon. */
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
