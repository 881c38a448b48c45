import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import { missingPathFix } from '../../../formats/files/file-error.js';
import type { FileUse, FileUses } from '../../../formats/files/require-apart.js';
import { readPipesAhead } from '../../../formats/reading/read-bytes.js';
import type { DeadLetterPlace } from '../../io/dead-letters/dead-letters.js';
import { deadLetterUses, resumableUses } from '../../io/written-uses.js';
import type { Path } from '../file/yaml-document.js';
import { chosenOf } from '../options/one-of.js';
import { type ChosenSource, filesOf } from '../sources/source-component.js';
import { deadLetterOptionsOf } from './dead-letters.js';
import type { Pipeline } from './pipeline.js';
import { modelFileOf } from './places.js';

/** Files of a run in addition to its pipeline file. */
export interface RunFiles {
  readonly model?: string | undefined;
  /** The dead-letter place for bad records. */
  readonly deadLetters?: DeadLetterPlace | undefined;
}

/**
 * Returns all files that a run of a pipeline reads and writes.
 *
 * @example
 * const text = 'version: 1\nname: a\nsource: { ndjson: { files: [b] } }\nstages: [{ featurize: { model: m } }, batch, tag]';
 * const { reads, writes } = pipelineFiles(parsePipeline(text, '/tmp/a.yaml'));
 * reads.map(({ path }) => path) // => ['/tmp/a.yaml', '/tmp/b', '/tmp/m']
 * writes.map(({ path }) => path) // => ['-']
 */
export function pipelineFiles(pipeline: Pipeline, given: RunFiles = {}): FileUses {
  const { source, test, checks, stages, train, baseDirectory, sink } = pipeline;
  const at = (file: string) => (file === '-' ? file : resolve(baseDirectory, file));
  const use = (file: string, what: string, path: Path): FileUse => ({
    ...{ path: at(file), what, place: pipeline.place(path) },
  });
  const filesOfSource = ({ component, options }: ChosenSource, what: string, path: Path) =>
    component.generated === undefined
      ? filesOf(options).map((file, i) => use(file, what, [...path, component.name, 'files', i]))
      : [];
  const own = stages.flatMap(({ component, options }, i) =>
    (component.files?.(options) ?? []).map(({ file, at: option, what, names, written }) => ({
      ...use(file, what, ['stages', i, component.name, option]),
      ...{ names, written },
    })),
  );
  const deadLetters = source.component.replays === true;
  const inputs = filesOfSource(source, deadLetters ? 'the dead letters to replay' : 'the input', [
    'source',
  ]);
  const checked = (checks ?? []).flatMap(({ on }, i) =>
    on === undefined
      ? []
      : filesOfSource(chosenOf(pipeline.catalogue.sources.items, on), 'the data of a check', [
          'checks',
          i,
          'on',
        ]),
  );
  return {
    reads: [
      { path: pipeline.file, what: 'the pipeline file', place: { source: pipeline.file } },
      // Those of a replay come from the command line.
      ...(deadLetters ? inputs.map(({ path, what }) => ({ path, what })) : inputs),
      ...(test === undefined ? [] : filesOfSource(test, 'the test data', ['test'])),
      ...checked,
      ...own.filter(({ written }) => written !== true),
      ...pluginUses(pipeline),
      ...(train?.start === undefined
        ? []
        : [use(train.start, 'the model to start from', ['train', 'start'])]),
    ],
    writes: [
      ...own.filter(({ written }) => written === true),
      ...modelUses(pipeline, given),
      ...(pipeline.plan.decode !== undefined && sink?.to === undefined
        ? sinkUses(pipeline, at(sink?.file ?? '-'))
        : []),
      ...rejectedUses(pipeline, given.deadLetters),
    ],
  };
}

/** Returns the uses of plug-in files; plug-ins that were passed as code have none. */
function pluginUses({ catalogue, config, place }: Pipeline): FileUse[] {
  return catalogue.plugins.flatMap(({ module }) => {
    if (module === undefined) return [];
    const i = ((config.use ?? []) as readonly string[]).indexOf(module.named);
    const own = i === -1 ? undefined : place(['use', i]);
    return [{ path: module.file, what: 'the plug-in', place: own }];
  });
}

function modelUses(pipeline: Pipeline, given: RunFiles): FileUse[] {
  const path = pipeline.trains ? modelFileOf(pipeline, given) : undefined;
  if (path === undefined) return [];
  const place = given.model === undefined ? pipeline.place(['model']) : undefined;
  return [{ path, what: 'the model to write', place }];
}

function sinkUses(pipeline: Pipeline, path: string): FileUse[] {
  const place = pipeline.place(['sink', 'file']);
  const grows = path !== '-' && pipeline.plan.checkpoint !== undefined;
  return grows ? resumableUses(path, place) : [{ path, what: 'the output', place }];
}

/** Returns the uses of the dead-letter file; a file that is not in the pipeline comes from the command line. */
function rejectedUses(pipeline: Pipeline, given: DeadLetterPlace | undefined): FileUse[] {
  const isOwn = given?.file === deadLetterOptionsOf(pipeline).file;
  return deadLetterUses(given, isOwn ? pipeline.place(['deadLetters', 'file']) : undefined);
}

/**
 * Checks that the files of the source, the test and the held-out data exist, before anything is run.
 *
 * @param additional sources, in the form of a pipeline file
 *
 * @throws TagstreamError `file`
 */
export async function requireFiles(
  pipeline: Pipeline,
  more: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<void> {
  const heldOut = pipeline.stages
    .flatMap(
      ({ options: { on, labels } }) => [on, labels] as (Record<string, unknown> | undefined)[],
    )
    .filter(on => on !== undefined);
  const others = [...heldOut, ...more].map(on => chosenOf(pipeline.catalogue.sources.items, on));
  for (const source of [pipeline.source, pipeline.test, ...others]) {
    if (source !== undefined) await requireFilesOf(source, pipeline);
  }
}

async function requireFilesOf(source: ChosenSource, pipeline: Pipeline): Promise<void> {
  for (const name of filesOf(source.options)) {
    if (name === '-') continue;
    const path = resolve(pipeline.baseDirectory, name);
    try {
      await access(path);
    } catch (cause) {
      throw new TagstreamError('file', `the input ${path} does not exist`, {
        place: { source: pipeline.file },
        fix: fixOf(path),
        cause,
      });
    }
  }
}

/** Returns the fix for a missing input: pipelines of the package read corpora that are not included. */
function fixOf(path: string): string {
  const folder = dirname(path);
  if (basename(dirname(folder)) !== 'corpora') return missingPathFix(path);
  return `correct the path, or fetch the corpus: tagstream corpora fetch ${basename(folder)} --dir FOLDER, and set TAGSTREAM_CORPORA to that folder`;
}

/**
 * Reads the named pipes among the files that a pipeline's stages read whole: models, templates, lists, dictionaries.
 * Stages are created synchronously, and cannot wait for a writer.
 *
 * @param signal its abort ends the wait
 * @throws (rejects with) the reason of the signal, TagstreamError `file`
 */
export function readNamedPipes(
  { stages, train, baseDirectory }: Pipeline,
  signal?: AbortSignal,
): Promise<void> {
  const named = stages.flatMap(({ component, options }) => component.files?.(options) ?? []);
  const whole = named.filter(file => file.whole === true).map(({ file }) => file);
  const files = [...whole, ...(train?.start === undefined ? [] : [train.start])];
  return readPipesAhead(
    files.map(file => resolve(baseDirectory, file)),
    signal,
  );
}
