import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileError } from '../io/file-error.js';
import { sources } from './catalogue/sources.js';
import { stages } from './catalogue/stages.js';
import { checkOrder } from './check-order.js';
import { Checker } from './file/check.js';
import { substituteEnvironment } from './file/environment.js';
import { applyOverrides } from './file/overrides.js';
import { parseYaml, type YamlDocument } from './file/yaml-document.js';
import { defaultNames, namesKept } from './model-option.js';
import { chosenOf } from './one-of.js';
import type { Pipeline } from './pipeline.js';
import { pipelineSchema } from './pipeline-schema.js';

/** What a pipeline file is read with. */
export interface LoadOptions {
  /** `path=value` settings that override the file. */
  readonly set?: readonly string[];
  /** Variables for `${VAR}`; those of the process if nothing is said. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads and checks a pipeline file. Nothing of it is run, no file that it names is opened.
 *
 * @throws TagstreamError `file`, `usage` (a wrong setting) or `config`, with line and column
 */
export function loadPipeline(file: string, options: LoadOptions = {}): Pipeline {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw fileError('read', file, cause);
  }
  return parsePipeline(text, file, options);
}

/**
 * A pipeline from the text of a file. Relative paths start at the folder of `file`.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function parsePipeline(text: string, file: string, options: LoadOptions = {}): Pipeline {
  return pipelineOf(parseYaml(text, file), file, options);
}

/**
 * A pipeline from what has been read of a file, which may be a part of another file.
 *
 * @throws TagstreamError as `loadPipeline`
 */
export function pipelineOf(yaml: YamlDocument, file: string, options: LoadOptions = {}): Pipeline {
  const checker = new Checker(yaml);
  const overridden = applyOverrides(withoutNulls(yaml.value), options.set ?? []);
  const environment = options.environment ?? process.env;
  const value = substituteEnvironment(overridden, environment, (path, problem, fix) =>
    checker.fail(path, problem, fix),
  );
  const checked = checker.parse(pipelineSchema, value, []);
  const chosenStages = checked.stages.map(stage => chosenOf(stages, stage));
  const pipeline: Pipeline = {
    name: checked.name,
    file,
    baseDirectory: dirname(resolve(file)),
    source: chosenOf(sources, checked.source),
    stages: chosenStages,
    train: checked.train,
    model: typeof checked.model === 'object' ? checked.model.file : checked.model,
    names: namesKept(typeof checked.model === 'object' ? checked.model.names : defaultNames),
    test: checked.test === undefined ? undefined : chosenOf(sources, checked.test),
    checks: checked.checks,
    sink: checked.sink,
    shutdownTimeout: checked.shutdownTimeout,
    deadLetters: checked.deadLetters,
    trains: chosenStages.some(({ component }) => component.name === 'optimize'),
    config: checked,
    place: path => yaml.place(path),
  };
  checkOrder(pipeline, checker);
  return pipeline;
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
