import { resolve } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { TransportSetting } from '../../../engine/interfaces/messages.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import { type ChosenSource, filesOf } from '../sources/source-component.js';
import type { Pipeline } from './pipeline.js';
import type { PipelinePaths } from './run-context.js';

/** Returns the absolute paths of the files that a pipeline's source reads; `-` stays. */
export function sourceFiles({
  source,
  baseDirectory,
}: Pick<Pipeline, 'source' | 'baseDirectory'>): string[] {
  return filesOf(source.options).map(file => (file === '-' ? file : resolve(baseDirectory, file)));
}

/** Returns whether a pipeline's source can be read several times: it names files, none of which is a pipe. */
export function canReadAgain(pipeline: Pick<Pipeline, 'source' | 'baseDirectory'>): boolean {
  return pipeline.source.options.from === undefined && !sourceFiles(pipeline).some(readsOnce);
}

/** Returns the file of the trained model; undefined if none is written. */
export function modelFileOf(
  pipeline: Pick<Pipeline, 'model' | 'baseDirectory'>,
  options: { readonly model?: string | undefined },
): string | undefined {
  if (options.model !== undefined) return resolve(options.model);
  return pipeline.model === undefined ? undefined : resolve(pipeline.baseDirectory, pipeline.model);
}

/**
 * Returns the data that a pipeline is scored on but not trained on: its section `test`, else the input of its stage
 * `evaluate`.
 *
 * @throws TagstreamError `config` if it has neither
 * @example
 * const source = 'source: { ndjson: { files: [a], split: { every: 10, except: [9] } } }';
 * const test = 'test: { ndjson: { files: [a], split: { every: 10, take: [9] } } }';
 * const text = `version: 1\nname: a\n${source}\nstages: [{ featurize: { model: m } }, batch, tag]\n${test}`;
 * heldOutSource(parsePipeline(text, '/tmp/a.yaml')).options.split // => { every: 10, take: [9] }
 */
export function heldOutSource(pipeline: Pipeline): ChosenSource {
  const [first] = heldOutSources(pipeline);
  if (first !== undefined) return first.source;
  throw new TagstreamError('config', 'the pipeline has no held-out data to score on', {
    place: { source: pipeline.file },
    fix: 'add the section test, such as { conll: { files: [...], split: { every: 10, take: [9] } } }, and exclude these records from the source with except: [9]',
  });
}

/** Returns all data that a pipeline is scored on, with names for it. */
export function heldOutSources({
  test,
  plan: { evaluation },
}: Pick<Pipeline, 'test' | 'plan'>): { source: ChosenSource; what: string }[] {
  const found = test === undefined ? [] : [{ source: test, what: 'the test data' }];
  if (evaluation?.kind !== 'held-out') return found;
  return [...found, { source: evaluation.source, what: 'the held-out data of evaluate' }];
}

/** Returns a transport's view of a run, which may or may not train. */
export function transportSetting(
  paths: Pick<PipelinePaths, 'resolve'>,
  trains: boolean,
): TransportSetting {
  return { trains, path: file => paths.resolve(file) };
}
