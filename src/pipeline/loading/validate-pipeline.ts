import { deadLetterPlace } from '../../io/dead-letters/dead-letters.js';
import { requireApart } from '../../io/files/require-apart.js';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import { deadLetterOptionsOf } from '../definition/dead-letter-options-of.js';
import type { Pipeline } from '../definition/pipeline.js';
import { pipelineFiles } from '../definition/pipeline-files.js';
import { readNamedPipes } from '../definition/read-named-pipes.js';
import { requireFiles } from '../definition/require-files.js';
import { RunSetup } from '../definition/run-setup.js';
import { type LoadOptions, loadPipeline } from './load-pipeline.js';

/**
 * Checks a pipeline file as far as that goes without reading a record: its form, the order of its
 * stages, its templates, and whether the files that it names are there and none is both read and written.
 *
 * @throws TagstreamError `config`, `template`, `file`
 */
export async function validatePipeline(file: string, options: LoadOptions = {}): Promise<Pipeline> {
  await readPipesAhead([file]);
  const pipeline = loadPipeline(file, options);
  requireApart(
    pipelineFiles(pipeline, { deadLetters: deadLetterPlace(deadLetterOptionsOf(pipeline)) }),
  );
  await readNamedPipes(pipeline);
  const { baseDirectory, source, catalogue, train, config } = pipeline;
  const setup = new RunSetup({
    baseDirectory,
    source,
    catalogue,
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
