import { resolve } from 'node:path';
import type { DeadLetterPlace } from '../../io/dead-letters/dead-letters.js';
import type { FileUse, FileUses } from '../../io/files/file-use.js';
import { deadLetterUses, resumableUses } from '../../io/written-uses.js';
import type { Path } from '../file/yaml-document.js';
import { chosenOf } from '../options/one-of.js';
import { filesOf } from '../sources/common-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import { deadLetterOptionsOf } from './dead-letter-options-of.js';
import { modelFileOf } from './model-file-of.js';
import type { Pipeline } from './pipeline.js';

/** What a run is given beside its pipeline file. */
export interface RunFiles {
  readonly model?: string | undefined;
  /** Where bad records go. */
  readonly deadLetters?: DeadLetterPlace | undefined;
}

/**
 * All files that a run of a pipeline reads and writes.
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

/** Plug-ins that come from code have no file. */
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

/** A file that is not the pipeline's own comes from the command line. */
function rejectedUses(pipeline: Pipeline, given: DeadLetterPlace | undefined): FileUse[] {
  const isOwn = given?.file === deadLetterOptionsOf(pipeline).file;
  return deadLetterUses(given, isOwn ? pipeline.place(['deadLetters', 'file']) : undefined);
}
