import { resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { readsOnce } from '../../io/reading/read-bytes.js';
import type { TransportSetting } from '../../plugins/messages.js';
import { type ChosenSource, filesOf } from '../sources/source-component.js';
import type { Pipeline } from './pipeline.js';
import type { PipelinePaths } from './run-context.js';

/** The files that a pipeline's source reads, by their whole paths; `-` stays. */
export function sourceFiles({
  source,
  baseDirectory,
}: Pick<Pipeline, 'source' | 'baseDirectory'>): string[] {
  return filesOf(source.options).map(file => (file === '-' ? file : resolve(baseDirectory, file)));
}

/** Whether the source of a pipeline can be read several times: it names files, none of which is a pipe. */
export function canReadAgain(pipeline: Pick<Pipeline, 'source' | 'baseDirectory'>): boolean {
  return pipeline.source.options.from === undefined && !sourceFiles(pipeline).some(readsOnce);
}

/** Where the trained model goes; undefined where none is written. */
export function modelFileOf(
  pipeline: Pick<Pipeline, 'model' | 'baseDirectory'>,
  options: { readonly model?: string | undefined },
): string | undefined {
  if (options.model !== undefined) return resolve(options.model);
  return pipeline.model === undefined ? undefined : resolve(pipeline.baseDirectory, pipeline.model);
}

/**
 * The data that a pipeline scores on and does not train on: its section `test`, else what its stage `evaluate` reads.
 *
 * @throws TagstreamError `config` where it has neither
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

/** All data that a pipeline scores on, with what it is called. */
export function heldOutSources({
  test,
  plan: { evaluation },
}: Pick<Pipeline, 'test' | 'plan'>): { source: ChosenSource; what: string }[] {
  const found = test === undefined ? [] : [{ source: test, what: 'the test data' }];
  if (evaluation?.kind !== 'held-out') return found;
  return [...found, { source: evaluation.source, what: 'the held-out data of evaluate' }];
}

/** What a transport is given of a run that trains, or does not. */
export function transportSetting(
  paths: Pick<PipelinePaths, 'resolve'>,
  trains: boolean,
): TransportSetting {
  return { trains, path: file => paths.resolve(file) };
}
