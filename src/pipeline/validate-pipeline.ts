import { type LoadOptions, loadPipeline } from './load-pipeline.js';
import type { Pipeline } from './pipeline.js';
import { requireFiles } from './require-files.js';
import { RunSetup } from './run-setup.js';

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
  const checked = (pipeline.checks ?? []).flatMap(({ on }) => (on === undefined ? [] : [on]));
  await requireFiles(pipeline, checked);
  return pipeline;
}
