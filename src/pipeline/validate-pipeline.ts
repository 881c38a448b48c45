import { access } from 'node:fs/promises';
import { TagstreamError } from '../core/errors.js';
import { type LoadOptions, loadPipeline } from './load-pipeline.js';
import type { Pipeline } from './pipeline.js';
import { RunSetup } from './run-setup.js';
import type { ChosenSource } from './sources/source-component.js';

/**
 * Checks a pipeline file as far as that goes without reading a record: its form, the order of its
 * stages, its templates, and whether the files that it names are there.
 *
 * @throws TagstreamError `config`, `template`, `file`
 */
export async function validatePipeline(file: string, options: LoadOptions = {}): Promise<Pipeline> {
  const pipeline = loadPipeline(file, options);
  const { baseDirectory, source, train, config } = pipeline;
  const setup = new RunSetup({
    baseDirectory,
    source,
    train,
    config,
    events: {},
    restored: undefined,
  });
  for (const { component, options: chosen } of pipeline.stages) component.create(chosen, setup);
  await requireFiles(pipeline.source, setup, file);
  if (pipeline.test !== undefined) await requireFiles(pipeline.test, setup, file);
  return pipeline;
}

async function requireFiles(source: ChosenSource, setup: RunSetup, file: string): Promise<void> {
  for (const name of source.options.files as string[]) {
    if (name === '-') continue;
    const path = setup.path(name);
    try {
      await access(path);
    } catch (cause) {
      throw new TagstreamError('file', `the input ${path} is not there`, {
        place: { source: file },
        fix: 'mend the path, or fetch the corpus',
        cause,
      });
    }
  }
}
